import { useState, type ReactElement } from 'react';
import { ApiError } from '../../api/errors.ts';
import { useRead, useSession } from '../../api/hooks.ts';
import { keys } from '../../api/keys.ts';
import { request } from '../../api/request.ts';
import { inJson, offersPasskeys } from '../../api/session.ts';
import { formatTime } from '../../books/formats/dates.ts';
import { browserOf } from '../../books/formats/names.ts';
import type { SessionInfo, Schemas } from '../../books/types.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog, OpenButton } from '../../parts/overlays/dialog.tsx';
import { showToast } from '../../parts/overlays/toasts.tsx';
import { usePreferences } from '../../parts/preferences.ts';
import { settingsTexts as t } from '../../texts/en/settings.ts';
import { FormDialog } from '../flow/form-dialog.tsx';
import { useSubmitting } from '../flow/submitting.tsx';
import { SignInForm } from '../sign-in/sign-in-form.tsx';
import { EndButton, RecordSection, RecordLine, useWrite } from './record-section.tsx';

type Passkey = Schemas['Passkey'];
type Session = Schemas['Session'];

/** The passkeys of the user. Browsers make them only in a secure context, on a host with a name. */
function Passkeys(): ReactElement {
  const passkeys = useRead(keys.settings, 'GET /coffer/passkeys', {
    select: (all) => all.passkeys,
  });
  return (
    <RecordSection
      name="passkeys"
      title={t.passkeys.title}
      hint={t.passkeys.hint}
      action={
        offersPasskeys() && (
          <OpenButton icon="plus" dialog={(close) => <AddPasskey onClose={close} />}>
            {t.passkeys.add}
          </OpenButton>
        )
      }
      note={!offersPasskeys() && <p className="note">{t.passkeys.notHere(location.host)}</p>}
      query={passkeys}
      empty={<p className="hint">{t.passkeys.none}</p>}
      line={(passkey) => <PasskeyLine key={passkey.id} passkey={passkey} />}
    />
  );
}

function PasskeyLine({ passkey }: { readonly passkey: Passkey }): ReactElement {
  const preferences = usePreferences();
  const write = useWrite();
  const { id, name, host, created_at: created, last_used_at: used } = passkey;
  const remove = async (): Promise<void> => {
    await write(() => request('DELETE /coffer/passkeys/{id}', { path: { id } }));
    showToast({ text: t.passkeys.removed });
  };
  const shown = (
    <>
      {name}
      {host !== location.hostname && <span className="badge">{t.passkeys.forHost(host)}</span>}
    </>
  );
  const added = t.passkeys.line(formatTime(created, preferences));
  const lastUse =
    used === null ? t.passkeys.unused : t.passkeys.used(formatTime(used, preferences));
  return (
    <RecordLine name={shown} hint={`${added} · ${lastUse}`}>
      <EndButton
        label={t.passkeys.remove}
        name={t.passkeys.removeLabel(name)}
        title={t.passkeys.removeLabel(name)}
        text={t.passkeys.removeText(name)}
        work={remove}
      />
    </RecordLine>
  );
}

/** Makes a passkey on this device and adds it. Throws a DOMException when the user cancels. */
async function addPasskey(name: string): Promise<Passkey> {
  const { challenge_id, options } = await request('POST /coffer/passkeys/options', {});
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    options as unknown as PublicKeyCredentialCreationOptionsJSON,
  );
  const credential = inJson(await navigator.credentials.create({ publicKey }));
  return request('POST /coffer/passkeys', { body: { challenge_id, credential, name } });
}

function AddPasskey({ onClose }: { readonly onClose: () => void }): ReactElement {
  const write = useWrite();
  const [name, setName] = useState(() => browserOf(navigator.userAgent) ?? '');
  const [isStale, setIsStale] = useState(false);
  const add = async (chosen: string): Promise<boolean> => {
    try {
      await write(() => addPasskey(chosen));
    } catch (error) {
      // The session began too long ago.
      if (error instanceof ApiError && error.status === 403) {
        setName(chosen);
        setIsStale(true);
        return false;
      }
      throw error instanceof DOMException
        ? new Error(t.passkeys.cancelled, { cause: error })
        : error;
    }
    showToast({ text: t.passkeys.made });
    return true;
  };
  if (isStale)
    return (
      <Dialog title={t.passkeys.add} onClose={onClose}>
        <p>{t.passkeys.signInAgain}</p>
        <SignInForm onDone={() => setIsStale(false)} />
      </Dialog>
    );
  return (
    <FormDialog
      title={t.passkeys.add}
      label={t.passkeys.begin}
      schema="PasskeyInsert"
      begun={{ name }}
      canSubmit={(draft) => draft.name.trim() !== ''}
      fields={() => [{ name: 'name', label: t.passkeys.name, hint: t.passkeys.nameHint }]}
      save={(values) => add(values.name)}
      onClose={onClose}
    />
  );
}

/** Whether there is a password, and the way to another one. */
function Password(): ReactElement {
  const { data } = useSession();
  const has = data?.has_password === true;
  return (
    <section className="card stack" aria-labelledby="password">
      <div className="section-head">
        <div>
          <h2 id="password">{t.password.title}</h2>
          <p className="hint">{has ? t.password.has : t.password.none}</p>
        </div>
        {data !== undefined && (
          <OpenButton dialog={(close) => <PasswordForm has={has} session={data} onClose={close} />}>
            {has ? t.password.change : t.password.set}
          </OpenButton>
        )}
      </div>
    </section>
  );
}

type PasswordFormProps = Readonly<{ has: boolean; session: SessionInfo; onClose: () => void }>;

function PasswordForm({ has, session, onClose }: PasswordFormProps): ReactElement {
  const isByLink = session.session?.method === 'link';
  const passkeyCount = session.passkey_count ?? 0;
  const write = useWrite();
  return (
    <FormDialog
      title={has ? t.password.change : t.password.set}
      intro={
        // Password managers keep the address with the password.
        <input
          type="text"
          autoComplete="username"
          value={session.user?.email ?? ''}
          readOnly
          hidden
        />
      }
      schema="PasswordUpdate"
      begun={{ current_password: '', password: '', remove_passkeys: false }}
      fields={() => [
        ...(has ? [currentPassword(isByLink)] : []),
        {
          name: 'password',
          label: t.password.next,
          hint: t.password.nextHint,
          kind: 'password',
          autoComplete: 'new-password',
        },
        passkeyCount > 0 && {
          name: 'remove_passkeys',
          label: t.password.removePasskeys(passkeyCount),
          hint: t.password.removePasskeysHint,
          kind: 'check',
        },
        <p key="effect" className="hint">
          {t.password.effect}
        </p>,
      ]}
      save={async ({ password, current_password, remove_passkeys }) => {
        const body: Schemas['PasswordUpdate'] = {
          password,
          ...(current_password !== '' && { current_password }),
          ...(remove_passkeys && { remove_passkeys }),
        };
        await write(() => request('PUT /coffer/password', { body }));
        showToast({ text: t.password.done });
      }}
      onClose={onClose}
    />
  );
}

function currentPassword(isByLink: boolean) {
  return {
    name: 'current_password' as const,
    label: t.password.current,
    hint: isByLink ? t.password.currentHint : undefined,
    kind: 'password' as const,
    autoComplete: 'current-password',
    required: !isByLink,
  };
}

/** The browsers that are signed in; all but this one can be ended. */
function Sessions(): ReactElement {
  const sessions = useRead(keys.settings, 'GET /coffer/sessions', {
    select: (all) => all.sessions,
  });
  const write = useWrite();
  const { problem, isBusy, submit } = useSubmitting();
  const others = (sessions.data ?? []).filter((session) => !session.is_current);
  const end = (ended: readonly Session[], done: string): void =>
    void submit(async () => {
      await write(async () => {
        for (const { id } of ended) await request('DELETE /coffer/sessions/{id}', { path: { id } });
      });
      showToast({ text: done });
    });
  return (
    <RecordSection
      name="sessions"
      title={t.sessions.title}
      hint={t.sessions.hint}
      action={
        others.length > 0 && (
          <Button
            look="danger"
            disabled={isBusy}
            onClick={() => end(others, t.sessions.othersEnded)}
          >
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
          onEnd={() => end([session], t.sessions.ended)}
        />
      )}
    />
  );
}

type SessionLineProps = Readonly<{ session: Session; onEnd: () => void }>;

function SessionLine({ session, onEnd }: SessionLineProps): ReactElement {
  const preferences = usePreferences();
  const browser = browserOf(session.user_agent) ?? t.sessions.unknown;
  const since = formatTime(session.created_at, preferences);
  const begun = t.sessions.line(t.sessions.methods[session.method], since);
  const seen = t.sessions.seen(formatTime(session.last_seen_at, preferences));
  const name = (
    <>
      {browser}
      {session.is_current && <span className="badge good">{t.sessions.here}</span>}
    </>
  );
  return (
    <RecordLine name={name} title={session.user_agent ?? undefined} hint={`${begun} · ${seen}`}>
      {!session.is_current && (
        <Button aria-label={t.sessions.endLabel(browser)} onClick={onEnd}>
          {t.sessions.end}
        </Button>
      )}
    </RecordLine>
  );
}

/** How the user signs in, and where the user is signed in. */
export function SigningIn(): ReactElement {
  return (
    <div className="stack">
      <Passkeys />
      <Password />
      <Sessions />
    </div>
  );
}
