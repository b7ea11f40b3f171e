import { useState, type ReactElement } from 'react';
import { formatTime } from '../../books/formats/dates.ts';
import { Button } from '../../parts/button.tsx';
import { SelectField, TextField } from '../../parts/fields/fields.tsx';
import { Dialog } from '../../parts/overlays/dialog.tsx';
import { showToast } from '../../parts/overlays/toasts.tsx';
import { usePreferences } from '../../parts/preferences.ts';
import { ownChangesTexts } from '../../texts/en/parts.ts';
import { settingsTexts } from '../../texts/en/settings.ts';
import { Confirmed, SubmitForm } from '../flow/submitting.tsx';
import { useMakeToken, useRevokeToken, useTokens } from './data.ts';
import type { AccessToken, NewAccessToken } from './data.ts';
import { NewSecret, RecordSection } from './record-section.tsx';

const t = settingsTexts.tokens;
const dayMs = 86_400_000;

/** The access tokens of the book. */
export function Tokens(): ReactElement {
  const tokens = useTokens();
  const [isMaking, setIsMaking] = useState(false);
  const [leaving, setLeaving] = useState<AccessToken | null>(null);
  return (
    <RecordSection
      name="tokens"
      title={settingsTexts.sections.tokens}
      hint={t.hint}
      action={
        <Button look="main" icon="plus" onClick={() => setIsMaking(true)}>
          {t.add}
        </Button>
      }
      query={tokens}
      empty={
        <p className="nothing">
          <strong>{t.none}</strong> {t.noneHint}
        </p>
      }
      line={(token) => (
        <TokenLine key={token.id} token={token} onRevoke={() => setLeaving(token)} />
      )}
    >
      {isMaking && <MakeToken onClose={() => setIsMaking(false)} />}
      {leaving !== null && <RevokeToken token={leaving} onClose={() => setLeaving(null)} />}
    </RecordSection>
  );
}

function TokenLine(props: {
  readonly token: AccessToken;
  readonly onRevoke: () => void;
}): ReactElement {
  const { token, onRevoke } = props;
  const preferences = usePreferences();
  const [nowMs] = useState(() => Date.now());
  const label = token.label ?? t.unnamed;
  const { last_used_at: used, expires_at: expires } = token;
  const isExpired = expires !== null && Date.parse(expires) <= nowMs;
  const facts = [
    t.created(formatTime(token.created_at, preferences)),
    used === null ? t.unused : t.used(formatTime(used, preferences)),
    ...(expires === null || isExpired ? [] : [t.expires(formatTime(expires, preferences))]),
  ];
  return (
    <li>
      <div>
        <p className="record-name">
          {label}
          {isExpired && <span className="badge warn">{t.expired}</span>}
        </p>
        <p className="hint">{facts.join(' · ')}</p>
      </div>
      <Button aria-label={t.revokeLabel(label)} onClick={onRevoke}>
        {t.revoke}
      </Button>
    </li>
  );
}

/** Makes a token, and shows it once. */
function MakeToken({ onClose }: { readonly onClose: () => void }): ReactElement {
  const [made, setMade] = useState<NewAccessToken | null>(null);
  if (made === null)
    return (
      <Dialog title={t.add} closeLabel={ownChangesTexts.close} onClose={onClose}>
        <TokenForm onMade={setMade} />
      </Dialog>
    );
  return <NewSecret key="made" texts={t} label={t.token} value={made.token} onClose={onClose} />;
}

function TokenForm({ onMade }: { readonly onMade: (token: NewAccessToken) => void }): ReactElement {
  const { mutateAsync } = useMakeToken();
  const [label, setLabel] = useState('');
  const [expiry, setExpiry] = useState('never');
  const make = async (): Promise<void> => {
    const expiresMs = Date.now() + Number(expiry) * dayMs;
    const expires_at = expiry === 'never' ? null : new Date(expiresMs).toISOString();
    onMade(await mutateAsync({ label: label.trim(), expires_at }));
  };
  return (
    <SubmitForm label={t.make} canSubmit={label.trim() !== ''} work={make}>
      <TextField
        label={t.label}
        value={label}
        required
        autoFocus
        maxLength={100}
        onChange={({ currentTarget }) => setLabel(currentTarget.value)}
      />
      <SelectField
        label={t.expiry}
        value={expiry}
        options={(['never', '30', '90', '365'] as const).map((value) => ({
          value,
          label: t.expiries[value],
        }))}
        onChange={setExpiry}
      />
    </SubmitForm>
  );
}

function RevokeToken(props: {
  readonly token: AccessToken;
  readonly onClose: () => void;
}): ReactElement {
  const { token, onClose } = props;
  const { mutateAsync } = useRevokeToken();
  const revoke = async (): Promise<void> => {
    await mutateAsync(token.id);
    showToast({ text: t.revoked });
    onClose();
  };
  return (
    <Confirmed title={t.revokeTitle} confirmLabel={t.revoke} work={revoke} onClose={onClose}>
      <p>{t.revokeText(token.label ?? t.unnamed)}</p>
    </Confirmed>
  );
}
