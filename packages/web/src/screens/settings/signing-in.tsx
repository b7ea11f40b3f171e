import { useState, type ReactElement } from 'react';
import { ApiError } from '../../api/errors.ts';
import { useSession } from '../../api/hooks.ts';
import { offersPasskeys } from '../../api/session.ts';
import { formatTime } from '../../books/formats/dates.ts';
import { browserOf } from '../../books/formats/names.ts';
import { Button } from '../../parts/button.tsx';
import { TextField, CheckField } from '../../parts/fields/fields.tsx';
import { Dialog } from '../../parts/overlays/dialog.tsx';
import { showToast } from '../../parts/overlays/toasts.tsx';
import { usePreferences } from '../../parts/preferences.ts';
import { ownChangesTexts } from '../../texts/en/parts.ts';
import { settingsTexts as t } from '../../texts/en/settings.ts';
import { Confirmed, SubmitForm, useSubmitting } from '../flow/submitting.tsx';
import { SignInForm } from '../sign-in/sign-in-form.tsx';
import {
  useAddPasskey,
  usePasskeys,
  useRemovePasskey,
  useSetPassword,
  useEndSessions,
  useSessions,
} from './data.ts';
import type { Passkey, Session } from './data.ts';
import { RecordSection } from './record-section.tsx';

/** The passkeys of the user. Browsers make them only in a secure context, on a host with a name. */
export function Passkeys(): ReactElement {
  const passkeys = usePasskeys();
  const [isAdding, setIsAdding] = useState(false);
  const [leaving, setLeaving] = useState<Passkey | null>(null);
  return (
    <RecordSection
      name="passkeys"
      title={t.passkeys.title}
      hint={t.passkeys.hint}
      action={
        offersPasskeys() && (
          <Button icon="plus" onClick={() => setIsAdding(true)}>
            {t.passkeys.add}
          </Button>
        )
      }
      note={!offersPasskeys() && <p className="note">{t.passkeys.notHere(location.host)}</p>}
      query={passkeys}
      empty={<p className="hint">{t.passkeys.none}</p>}
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
          {isElsewhere && <span className="badge">{t.passkeys.forHost(passkey.host)}</span>}
        </p>
        <p className="hint">
          {t.passkeys.line(formatTime(passkey.created_at, preferences))} ·{' '}
          {used === null ? t.passkeys.unused : t.passkeys.used(formatTime(used, preferences))}
        </p>
      </div>
      <Button aria-label={t.passkeys.removeLabel(passkey.name)} onClick={onRemove}>
        {t.passkeys.remove}
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
      throw error instanceof DOMException
        ? new Error(t.passkeys.cancelled, { cause: error })
        : error;
    }
    showToast({ text: t.passkeys.made });
    onClose();
  };
  if (isStale)
    return (
      <Dialog title={t.passkeys.add} closeLabel={ownChangesTexts.close} onClose={onClose}>
        <p>{t.passkeys.signInAgain}</p>
        <SignInForm onDone={() => setIsStale(false)} />
      </Dialog>
    );
  return (
    <Dialog title={t.passkeys.add} closeLabel={ownChangesTexts.close} onClose={onClose}>
      <SubmitForm label={t.passkeys.begin} canSubmit={name.trim() !== ''} work={add}>
        <TextField
          label={t.passkeys.name}
          hint={t.passkeys.nameHint}
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
    showToast({ text: t.passkeys.removed });
    onClose();
  };
  return (
    <Confirmed
      title={t.passkeys.removeLabel(passkey.name)}
      confirmLabel={t.passkeys.remove}
      work={remove}
      onClose={onClose}
    >
      <p>{t.passkeys.removeText(passkey.name)}</p>
    </Confirmed>
  );
}

/** Whether there is a password, and the way to another one. */
export function Password(): ReactElement {
  const { data } = useSession();
  const [isOpen, setIsOpen] = useState(false);
  const has = data?.has_password === true;
  return (
    <section className="card stack" aria-labelledby="password">
      <div className="section-head">
        <div>
          <h2 id="password">{t.password.title}</h2>
          <p className="hint">{has ? t.password.has : t.password.none}</p>
        </div>
        <Button onClick={() => setIsOpen(true)}>{has ? t.password.change : t.password.set}</Button>
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
    showToast({ text: t.password.done });
    onClose();
  };
  return (
    <Dialog
      title={has ? t.password.change : t.password.set}
      closeLabel={ownChangesTexts.close}
      onClose={onClose}
    >
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
            label={t.password.current}
            type="password"
            autoComplete="current-password"
            required={!isByLink}
            hint={isByLink ? t.password.currentHint : undefined}
            autoFocus
            value={current}
            onChange={({ currentTarget }) => setCurrent(currentTarget.value)}
          />
        )}
        <TextField
          label={t.password.next}
          type="password"
          autoComplete="new-password"
          required
          minLength={8}
          maxLength={256}
          autoFocus={!has}
          hint={t.password.nextHint}
          value={next}
          onChange={({ currentTarget }) => setNext(currentTarget.value)}
        />
        {passkeyCount > 0 && (
          <CheckField
            label={t.password.removePasskeys(passkeyCount)}
            hint={t.password.removePasskeysHint}
            isChecked={removes}
            onChange={setRemoves}
          />
        )}
        <p className="hint">{t.password.effect}</p>
      </SubmitForm>
    </Dialog>
  );
}

/** The browsers that are signed in; all but this one can be ended. */
export function Sessions(): ReactElement {
  const sessions = useSessions();
  const { mutateAsync } = useEndSessions();
  const { problem, isBusy, submit } = useSubmitting();
  const others = (sessions.data ?? []).filter((session) => !session.is_current);
  const end = (ids: readonly number[], done: string): void =>
    void submit(async () => {
      await mutateAsync(ids);
      showToast({ text: done });
    });
  const endOthers = (): void =>
    end(
      others.map(({ id }) => id),
      t.sessions.othersEnded,
    );
  return (
    <RecordSection
      name="sessions"
      title={t.sessions.title}
      hint={t.sessions.hint}
      action={
        others.length > 0 && (
          <Button look="danger" disabled={isBusy} onClick={endOthers}>
            {t.sessions.endOthers}
          </Button>
        )
      }
      note={problem !== null && <p className="problem">{problem}</p>}
      query={sessions}
      empty={null}
      line={(session) => (
        <SessionLine
          key={session.id}
          session={session}
          onEnd={() => end([session.id], t.sessions.ended)}
        />
      )}
    />
  );
}

function SessionLine(props: {
  readonly session: Session;
  readonly onEnd: () => void;
}): ReactElement {
  const { session, onEnd } = props;
  const preferences = usePreferences();
  const browser = browserOf(session.user_agent) ?? t.sessions.unknown;
  const since = formatTime(session.created_at, preferences);
  return (
    <li>
      <div>
        <p className="record-name" title={session.user_agent ?? undefined}>
          {browser}
          {session.is_current && <span className="badge good">{t.sessions.here}</span>}
        </p>
        <p className="hint">
          {t.sessions.line(t.sessions.methods[session.method], since)} ·{' '}
          {t.sessions.seen(formatTime(session.last_seen_at, preferences))}
        </p>
      </div>
      {!session.is_current && (
        <Button aria-label={t.sessions.endLabel(browser)} onClick={onEnd}>
          {t.sessions.end}
        </Button>
      )}
    </li>
  );
}
