import { useState } from 'react';
import type { ReactElement } from 'react';
import { ApiError } from '../../api/errors.ts';
import { offersPasskeys } from '../../api/session.ts';
import { browserOf } from '../../books/formats/browsers.ts';
import { formatTime } from '../../books/formats/dates.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/overlays/dialog.tsx';
import { usePreferences } from '../../parts/preferences.ts';
import { TextField } from '../../parts/fields/text-field.tsx';
import { showToast } from '../../parts/overlays/toasts.ts';
import { ownChangesTexts } from '../../texts/en/own-changes.ts';
import { settingsTexts } from '../../texts/en/settings.ts';
import { SignInForm } from '../sign-in/sign-in-form.tsx';
import { Confirmed, SubmitForm } from '../flow/submitting.tsx';
import { useAddPasskey, usePasskeys, useRemovePasskey } from './data.ts';
import type { Passkey } from './data.ts';
import { RecordSection } from './record-section.tsx';

const t = settingsTexts.passkeys;

/** The passkeys of the user. Browsers make them only in a secure context, on a host with a name. */
export function Passkeys(): ReactElement {
  const passkeys = usePasskeys();
  const [isAdding, setIsAdding] = useState(false);
  const [leaving, setLeaving] = useState<Passkey | null>(null);
  return (
    <RecordSection
      name="passkeys"
      title={t.title}
      hint={t.hint}
      action={
        offersPasskeys() && (
          <Button icon="plus" onClick={() => setIsAdding(true)}>
            {t.add}
          </Button>
        )
      }
      note={!offersPasskeys() && <p className="note">{t.notHere(location.host)}</p>}
      query={passkeys}
      empty={<p className="hint">{t.none}</p>}
      line={(passkey) => (
        <PasskeyLine key={passkey.id} passkey={passkey} onRemove={() => setLeaving(passkey)} />
      )}
    >
      {isAdding && <AddPasskey onClose={() => setIsAdding(false)} />}
      {leaving !== null && <RemovePasskey passkey={leaving} onClose={() => setLeaving(null)} />}
    </RecordSection>
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
  const [name, setName] = useState(() => browserOf(navigator.userAgent) ?? '');
  const [isStale, setIsStale] = useState(false);
  const add = async (): Promise<void> => {
    try {
      await mutateAsync(name.trim());
    } catch (error) {
      // The session began too long ago.
      if (error instanceof ApiError && error.status === 403) {
        setIsStale(true);
        return;
      }
      throw error instanceof DOMException ? new Error(t.cancelled, { cause: error }) : error;
    }
    showToast({ text: t.made });
    onClose();
  };
  if (isStale)
    return (
      <Dialog title={t.add} closeLabel={ownChangesTexts.close} onClose={onClose}>
        <p>{t.signInAgain}</p>
        <SignInForm onDone={() => setIsStale(false)} />
      </Dialog>
    );
  return (
    <Dialog title={t.add} closeLabel={ownChangesTexts.close} onClose={onClose}>
      <SubmitForm label={t.begin} canSubmit={name.trim() !== ''} work={add}>
        <TextField
          label={t.name}
          hint={t.nameHint}
          value={name}
          required
          autoFocus
          maxLength={100}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
      </SubmitForm>
    </Dialog>
  );
}

function RemovePasskey(props: {
  readonly passkey: Passkey;
  readonly onClose: () => void;
}): ReactElement {
  const { passkey, onClose } = props;
  const { mutateAsync } = useRemovePasskey();
  const remove = async (): Promise<void> => {
    await mutateAsync(passkey.id);
    showToast({ text: t.removed });
    onClose();
  };
  return (
    <Confirmed
      title={t.removeLabel(passkey.name)}
      confirmLabel={t.remove}
      work={remove}
      onClose={onClose}
    >
      <p>{t.removeText(passkey.name)}</p>
    </Confirmed>
  );
}
