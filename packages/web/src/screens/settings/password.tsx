import { useState } from 'react';
import type { ReactElement } from 'react';
import { useSession } from '../../api/hooks.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/overlays/dialog.tsx';
import { CheckField } from '../../parts/fields/check-field.tsx';
import { TextField } from '../../parts/fields/text-field.tsx';
import { showToast } from '../../parts/overlays/toasts.ts';
import { ownChangesTexts } from '../../texts/en/own-changes.ts';
import { settingsTexts } from '../../texts/en/settings.ts';
import { SubmitForm } from '../flow/submitting.tsx';
import { useSetPassword } from './data.ts';

const t = settingsTexts.password;

/** Whether there is a password, and the way to another one. */
export function Password(): ReactElement {
  const { data } = useSession();
  const [isOpen, setIsOpen] = useState(false);
  const has = data?.has_password === true;
  return (
    <section className="card stack" aria-labelledby="password">
      <div className="section-head">
        <div>
          <h2 id="password">{t.title}</h2>
          <p className="hint">{has ? t.has : t.none}</p>
        </div>
        <Button onClick={() => setIsOpen(true)}>{has ? t.change : t.set}</Button>
      </div>
      {isOpen && (
        <PasswordForm
          has={has}
          isByLink={data?.session?.method === 'link'}
          email={data?.user?.email ?? ''}
          passkeyCount={data?.passkey_count ?? 0}
          onClose={() => setIsOpen(false)}
        />
      )}
    </section>
  );
}

interface PasswordFormProps {
  readonly has: boolean;
  readonly isByLink: boolean;
  readonly email: string;
  readonly passkeyCount: number;
  readonly onClose: () => void;
}

function PasswordForm(props: PasswordFormProps): ReactElement {
  const { has, isByLink, email, passkeyCount, onClose } = props;
  const { mutateAsync } = useSetPassword();
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const [removes, setRemoves] = useState(false);
  const set = async (): Promise<void> => {
    const isFirst = current === '';
    await mutateAsync({
      password: next,
      ...(!isFirst && { current_password: current }),
      ...(removes && { remove_passkeys: true }),
    });
    showToast({ text: t.done });
    onClose();
  };
  return (
    <Dialog title={has ? t.change : t.set} closeLabel={ownChangesTexts.close} onClose={onClose}>
      <SubmitForm work={set}>
        {/* Password managers keep the address with the password. */}
        <input
          className="hidden"
          type="text"
          autoComplete="username"
          value={email}
          readOnly
          hidden
        />
        {has && (
          <TextField
            label={t.current}
            type="password"
            autoComplete="current-password"
            required={!isByLink}
            hint={isByLink ? t.currentHint : undefined}
            autoFocus
            value={current}
            onChange={({ currentTarget }) => setCurrent(currentTarget.value)}
          />
        )}
        <TextField
          label={t.next}
          type="password"
          autoComplete="new-password"
          required
          minLength={8}
          maxLength={256}
          autoFocus={!has}
          hint={t.nextHint}
          value={next}
          onChange={({ currentTarget }) => setNext(currentTarget.value)}
        />
        {passkeyCount > 0 && (
          <CheckField
            label={t.removePasskeys(passkeyCount)}
            hint={t.removePasskeysHint}
            isChecked={removes}
            onChange={setRemoves}
          />
        )}
        <p className="hint">{t.effect}</p>
      </SubmitForm>
    </Dialog>
  );
}
