import { useQueryClient } from '@tanstack/react-query';
import type { ReactElement, SubmitEvent } from 'react';
import { keys } from '../../api/keys.ts';
import { offersPasskeys, signIn, signInWithPasskey } from '../../api/session.ts';
import type { SessionInfo } from '../../books/types.ts';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/fields/fields.tsx';
import { signInTexts as t } from '../../texts/en/sign-in.ts';
import { useSubmitting } from '../flow/submitting.tsx';

/** Signs in by password or passkey. Calls `onDone` with the new session. */
export function SignInForm({ onDone }: { readonly onDone: () => void }): ReactElement {
  const cache = useQueryClient();
  const { problem, isBusy, submit } = useSubmitting();
  const attempt = (way: () => Promise<SessionInfo>): void =>
    void submit(async () => {
      const session = await way().catch((error: unknown) => {
        throw error instanceof DOMException ? new Error(t.cancelled, { cause: error }) : error;
      });
      cache.setQueryData(keys.session, session);
      onDone();
    });
  const signInBy = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const [email, password] = [fieldText(data, 'email'), fieldText(data, 'password')];
    attempt(() => signIn({ method: 'password', email, password }));
  };
  return (
    <form className="stack" onSubmit={signInBy}>
      <TextField
        label={t.email}
        name="email"
        type="email"
        autoComplete="username"
        required
        autoFocus
      />
      <TextField
        label={t.password}
        name="password"
        type="password"
        autoComplete="current-password"
        required
        problem={problem}
      />
      <Button type="submit" look="main" disabled={isBusy}>
        {t.submit}
      </Button>
      {offersPasskeys() && (
        <Button disabled={isBusy} onClick={() => attempt(signInWithPasskey)}>
          {t.passkey}
        </Button>
      )}
      <p className="hint">
        {t.byLink} <code>{t.command}</code> {t.byLinkEnd}
      </p>
    </form>
  );
}

function fieldText(data: FormData, name: string): string {
  const value = data.get(name);
  return typeof value === 'string' ? value : '';
}
