import { useState } from 'react';
import type { ReactElement, SubmitEvent } from 'react';
import { offersPasskeys } from '../../api/session.ts';
import { browserOf } from '../../books/formats/browsers.ts';
import { formatTime } from '../../books/formats/dates.ts';
import { Button } from '../../parts/button.tsx';
import { Confirmation } from '../../parts/overlays/confirmation.tsx';
import { Dialog } from '../../parts/overlays/dialog.tsx';
import { usePreferences } from '../../parts/preferences.ts';
import { TextField } from '../../parts/fields/text-field.tsx';
import { showToast } from '../../parts/overlays/toasts.ts';
import { ownChangesTexts } from '../../texts/en/own-changes.ts';
import { settingsTexts } from '../../texts/en/settings.ts';
import { Loaded } from '../loaded.tsx';
import { useSubmitting } from '../submitting.ts';
import { useAddPasskey, usePasskeys, useRemovePasskey } from './data.ts';
import type { Passkey } from './data.ts';

const t = settingsTexts.passkeys;

/** The passkeys of the user. Browsers make them only in a secure context, on a host with a name. */
export function Passkeys(): ReactElement {
  const passkeys = usePasskeys();
  const [isAdding, setIsAdding] = useState(false);
  const [leaving, setLeaving] = useState<Passkey | null>(null);
  return (
    <section className="card stack" aria-labelledby="passkeys">
      <div className="section-head">
        <div>
          <h2 id="passkeys">{t.title}</h2>
          <p className="hint">{t.hint}</p>
        </div>
        {offersPasskeys() && (
          <Button icon="plus" onClick={() => setIsAdding(true)}>
            {t.add}
          </Button>
        )}
      </div>
      {!offersPasskeys() && <p className="note">{t.notHere(location.host)}</p>}
      <Loaded query={passkeys} lines={1}>
        {(all) =>
          all.length === 0 ? (
            <p className="hint">{t.none}</p>
          ) : (
            <ul className="records">
              {all.map((passkey) => (
                <PasskeyLine
                  key={passkey.id}
                  passkey={passkey}
                  onRemove={() => setLeaving(passkey)}
                />
              ))}
            </ul>
          )
        }
      </Loaded>
      {isAdding && <AddPasskey onClose={() => setIsAdding(false)} />}
      {leaving !== null && <RemovePasskey passkey={leaving} onClose={() => setLeaving(null)} />}
    </section>
  );
}

function PasskeyLine(props: {
  readonly passkey: Passkey;
  readonly onRemove: () => void;
}): ReactElement {
  const { passkey, onRemove } = props;
  const preferences = usePreferences();
  const used = passkey.last_used_at;
  const isElsewhere = passkey.host !== location.hostname;
  return (
    <li>
      <div>
        <p className="record-name">
          {passkey.name}
          {isElsewhere && <span className="badge">{t.forHost(passkey.host)}</span>}
        </p>
        <p className="hint">
          {t.line(formatTime(passkey.created_at, preferences))} ·{' '}
          {used === null ? t.unused : t.used(formatTime(used, preferences))}
        </p>
      </div>
      <Button aria-label={t.removeLabel(passkey.name)} onClick={onRemove}>
        {t.remove}
      </Button>
    </li>
  );
}

function AddPasskey({ onClose }: { readonly onClose: () => void }): ReactElement {
  const { mutateAsync } = useAddPasskey();
  const { problem, isBusy, submit } = useSubmitting();
  const [name, setName] = useState(() => browserOf(navigator.userAgent) ?? '');
  const add = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    void submit(async () => {
      await mutateAsync(name.trim()).catch((error: unknown) => {
        throw error instanceof DOMException ? new Error(t.cancelled, { cause: error }) : error;
      });
      showToast({ text: t.made });
      onClose();
    });
  };
  return (
    <Dialog title={t.add} closeLabel={ownChangesTexts.close} onClose={onClose}>
      <form className="stack" onSubmit={add}>
        <TextField
          label={t.name}
          hint={t.nameHint}
          value={name}
          required
          autoFocus
          maxLength={100}
          problem={problem}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
        <div className="actions end">
          <Button type="submit" look="main" disabled={isBusy || name.trim() === ''}>
            {t.begin}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function RemovePasskey(props: {
  readonly passkey: Passkey;
  readonly onClose: () => void;
}): ReactElement {
  const { passkey, onClose } = props;
  const { mutateAsync } = useRemovePasskey();
  const { problem, isBusy, submit } = useSubmitting();
  const remove = (): void =>
    void submit(async () => {
      await mutateAsync(passkey.id);
      showToast({ text: t.removed });
      onClose();
    });
  return (
    <Confirmation
      title={t.removeLabel(passkey.name)}
      confirmLabel={t.remove}
      cancelLabel={ownChangesTexts.cancel}
      problem={problem}
      isBusy={isBusy}
      onConfirm={remove}
      onClose={onClose}
    >
      <p>{t.removeText(passkey.name)}</p>
    </Confirmation>
  );
}
