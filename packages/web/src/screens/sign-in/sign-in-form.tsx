import { useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement, type SubmitEvent } from 'react';
import { describeError } from '../../api/errors.ts';
import { keys } from '../../api/keys.ts';
import { offersPasskeys, signIn, signInWithPasskey } from '../../api/session.ts';
import type { SessionInfo } from '../../api/types.ts';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/fields/fields.tsx';
import { signInTexts as t } from '../../texts/en/sign-in.ts';

/** Signs in by password or passkey. Calls `onDone` with the new session. */
export function SignInForm({ onDone }: { readonly onDone: () => void }): ReactElement {
  const cache = useQueryClient();
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setIsBusy] = useState(false);

  const attempt = async (way: () => Promise<SessionInfo>): Promise<void> => {
    setIsBusy(true);
    setProblem(null);
    try {
      cache.setQueryData(keys.session, await way());
      onDone();
    } catch (error) {
      setProblem(error instanceof DOMException ? t.cancelled : describeError(error));
      setIsBusy(false);
    }
  };
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const [email, password] = [textOf(data, 'email'), textOf(data, 'password')];
    void attempt(() => signIn({ method: 'password', email, password }));
  };
  return (
    <form className="stack" onSubmit={submit}>
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
        <Button disabled={isBusy} onClick={() => void attempt(signInWithPasskey)}>
          {t.passkey}
        </Button>
      )}
      <p className="hint">
        {t.byLink} <code>{t.command}</code> {t.byLinkEnd}
      </p>
    </form>
  );
}

function textOf(data: FormData, name: string): string {
  const value = data.get(name);
  return typeof value === 'string' ? value : '';
}
