import { useState, type ReactElement } from 'react';
import { useRead } from '../../api/hooks.ts';
import { keys } from '../../api/keys.ts';
import { request } from '../../api/request.ts';
import { formatTime } from '../../books/formats/dates.ts';
import type { Schemas } from '../../books/types.ts';
import { OpenButton } from '../../parts/overlays/dialog.tsx';
import { showToast } from '../../parts/overlays/toasts.tsx';
import { usePreferences } from '../../parts/preferences.ts';
import { settingsTexts } from '../../texts/en/settings.ts';
import { FormDialog } from '../flow/form-dialog.tsx';
import { EndButton, NewSecret, RecordSection, RecordLine, useWrite } from './record-section.tsx';

const t = settingsTexts.tokens;
const dayMs = 86_400_000;
const expiries = ['never', '30', '90', '365'] as const;

/** The access tokens of the book. */
export function Tokens(): ReactElement {
  const tokens = useRead(keys.settings, 'GET /coffer/tokens', { select: (all) => all.tokens });
  const [made, setMade] = useState<string | null>(null);
  return (
    <RecordSection
      name="tokens"
      title={settingsTexts.sections.tokens}
      hint={t.hint}
      action={
        <OpenButton
          look="main"
          icon="plus"
          dialog={(close) => <TokenForm onMade={setMade} onClose={close} />}
        >
          {t.add}
        </OpenButton>
      }
      query={tokens}
      empty={
        <p className="nothing">
          <strong>{t.none}</strong> {t.noneHint}
        </p>
      }
      line={(token) => <TokenLine key={token.id} token={token} />}
    >
      {made !== null && (
        <NewSecret texts={t} label={t.token} value={made} onClose={() => setMade(null)} />
      )}
    </RecordSection>
  );
}

function TokenLine({ token }: { readonly token: Schemas['AccessToken'] }): ReactElement {
  const preferences = usePreferences();
  const write = useWrite();
  const [nowMs] = useState(() => Date.now());
  const label = token.label ?? t.unnamed;
  const { last_used_at: used, expires_at: expires } = token;
  const isExpired = expires !== null && Date.parse(expires) <= nowMs;
  const facts = [
    t.created(formatTime(token.created_at, preferences)),
    used === null ? t.unused : t.used(formatTime(used, preferences)),
    ...(expires === null || isExpired ? [] : [t.expires(formatTime(expires, preferences))]),
  ];
  const revoke = async (): Promise<void> => {
    await write(() => request('DELETE /coffer/tokens/{id}', { path: { id: token.id } }));
    showToast({ text: t.revoked });
  };
  const name = (
    <>
      {label}
      {isExpired && <span className="badge warn">{t.expired}</span>}
    </>
  );
  return (
    <RecordLine name={name} hint={facts.join(' · ')}>
      <EndButton
        label={t.revoke}
        name={t.revokeLabel(label)}
        title={t.revokeTitle}
        text={t.revokeText(label)}
        work={revoke}
      />
    </RecordLine>
  );
}

/** Makes a token. */
function TokenForm(props: {
  readonly onMade: (token: string) => void;
  readonly onClose: () => void;
}): ReactElement {
  const write = useWrite();
  return (
    <FormDialog
      title={t.add}
      label={t.make}
      schema="AccessTokenInsert"
      begun={{ label: '', expiry: 'never' as keyof typeof t.expiries }}
      canSubmit={({ label }) => label.trim() !== ''}
      fields={() => [
        { name: 'label', label: t.label },
        {
          name: 'expiry',
          label: t.expiry,
          kind: 'choice',
          // In their order: as keys of an object the numbers would come first.
          options: expiries.map((value) => ({ value, label: t.expiries[value] })),
        },
      ]}
      save={async ({ label, expiry }) => {
        const expiresMs = Date.now() + Number(expiry) * dayMs;
        const expires_at = expiry === 'never' ? null : new Date(expiresMs).toISOString();
        const body = { label, expires_at };
        const make = () => request('POST /coffer/tokens', { body });
        props.onMade((await write(make)).token);
      }}
      onClose={props.onClose}
    />
  );
}
