import { useState, type ReactElement } from 'react';
import { useRead } from '../../api/hooks.ts';
import { keys } from '../../api/keys.ts';
import { request } from '../../api/request.ts';
import { formatTime } from '../../books/formats/dates.ts';
import type { Schemas } from '../../books/types.ts';
import { Button } from '../../parts/button.tsx';
import { CheckField, Segments } from '../../parts/fields/fields.tsx';
import { Table, type Column } from '../../parts/lists/table.tsx';
import { Dialog, OpenButton } from '../../parts/overlays/dialog.tsx';
import { Menu, type MenuAction } from '../../parts/overlays/menu.tsx';
import { showToast } from '../../parts/overlays/toasts.tsx';
import { usePreferences } from '../../parts/preferences.ts';
import { settingsTexts } from '../../texts/en/settings.ts';
import { Loaded } from '../flow/loaded.tsx';
import { FormDialog } from '../flow/form-dialog.tsx';
import { showFailure } from '../flow/own-changes.ts';
import { Confirmed, useSubmitting } from '../flow/submitting.tsx';
import { NewSecret, RecordSection, useWrite } from './record-section.tsx';

type Webhook = Schemas['Webhook'];
type WebhookInsert = Schemas['WebhookInsert'];

const t = settingsTexts.webhooks;

/** The addresses that changes of the book are sent to. */
export function Webhooks(): ReactElement {
  const webhooks = useRead(keys.settings, 'GET /coffer/webhooks', {
    select: (all) => all.webhooks,
  });
  const [secret, setSecret] = useState<string | null>(null);
  const write = useWrite();
  const add = async (body: WebhookInsert): Promise<void> => {
    const made = await write(() => request('POST /coffer/webhooks', { body }));
    setSecret(made.secret);
  };
  return (
    <RecordSection
      name="webhooks"
      title={settingsTexts.sections.webhooks}
      hint={t.hint}
      action={
        <OpenButton
          look="main"
          icon="plus"
          dialog={(close) => <WebhookForm title={t.add} onSave={add} onClose={close} />}
        >
          {t.add}
        </OpenButton>
      }
      query={webhooks}
      empty={
        <p className="nothing">
          <strong>{t.none}</strong> {t.noneHint}
        </p>
      }
      line={(webhook) => <WebhookLine key={webhook.id} webhook={webhook} onSecret={setSecret} />}
    >
      {secret !== null && (
        <NewSecret texts={t} label={t.secret} value={secret} onClose={() => setSecret(null)} />
      )}
    </RecordSection>
  );
}

const looks = { enabled: 'good', failing: 'warn', disabled: '' } as const;

type Sheet = 'edit' | 'attempts' | 'rotate' | 'remove';

interface WebhookLineProps {
  readonly webhook: Webhook;
  /** Called with a new secret, which is shown once. */
  readonly onSecret: (secret: string) => void;
}

/** A webhook with its state and what can be done with it. */
function WebhookLine({ webhook, onSecret }: WebhookLineProps): ReactElement {
  const [sheet, setSheet] = useState<Sheet | null>(null);
  const actions = useActions(webhook, setSheet);
  return (
    <li>
      <div>
        <p className="record-name">
          {webhook.url}
          <span className={`badge ${looks[webhook.status]}`}>{t.statuses[webhook.status]}</span>
        </p>
        <Facts webhook={webhook} />
      </div>
      <Menu label={t.more(webhook.url)} actions={actions} />
      <Sheets webhook={webhook} sheet={sheet} onSecret={onSecret} onClose={() => setSheet(null)} />
    </li>
  );
}

function Facts({ webhook }: { readonly webhook: Webhook }): ReactElement {
  const preferences = usePreferences();
  const { description, delivered_at: delivered, disabled, next_attempt_at: next } = webhook;
  const sent =
    delivered === null ? t.neverDelivered : t.delivered(formatTime(delivered, preferences));
  return (
    <>
      <p className="hint">{[description, sent].filter((each) => each !== null).join(' · ')}</p>
      {disabled !== null && disabled.reason !== 'request' && (
        <p className="problem">{disabled.message}</p>
      )}
      {next !== null && (
        <p className="problem">
          {t.failing(String(webhook.failures), formatTime(next, preferences))}
        </p>
      )}
    </>
  );
}

function useActions(webhook: Webhook, open: (sheet: Sheet) => void): MenuAction[] {
  const write = useWrite();
  const path = { id: webhook.id };
  const isOff = webhook.status === 'disabled';
  const toggle = async (): Promise<void> => {
    await write(() => request('PUT /coffer/webhooks/{id}', { path, body: { enabled: isOff } }));
    showToast({ text: isOff ? t.enabled : t.disabled });
  };
  const test = async (): Promise<void> => {
    const ping = () => request('POST /coffer/webhooks/{id}/ping', { path });
    const { delivered, status, error } = await write(ping);
    if (delivered) showToast({ text: t.testGood(String(status)) });
    else showToast({ text: t.testBad(error ?? String(status)), look: 'problem' });
  };
  return [
    { key: 'test', label: t.test, icon: 'check', run: () => void test().catch(showFailure) },
    { key: 'attempts', label: t.attempts, icon: 'history', run: () => open('attempts') },
    { key: 'edit', label: t.edit, icon: 'edit', run: () => open('edit') },
    {
      key: 'toggle',
      label: isOff ? t.enable : t.disable,
      icon: 'eye-off',
      run: () => void toggle().catch(showFailure),
    },
    { key: 'rotate', label: t.rotate, icon: 'recurring', run: () => open('rotate') },
    { key: 'remove', label: t.remove, icon: 'trash', look: 'danger', run: () => open('remove') },
  ];
}

interface SheetsProps extends WebhookLineProps {
  readonly sheet: Sheet | null;
  readonly onClose: () => void;
}

function Sheets({ webhook, sheet, onSecret, onClose }: SheetsProps): ReactElement | null {
  const write = useWrite();
  const path = { id: webhook.id };
  const save = (body: WebhookInsert) =>
    write(() => request('PUT /coffer/webhooks/{id}', { path, body }));
  const replace = async (): Promise<void> => {
    const rotate = () => request('POST /coffer/webhooks/{id}/rotate', { path });
    onSecret((await write(rotate)).secret);
  };
  const leave = async (): Promise<void> => {
    await write(() => request('DELETE /coffer/webhooks/{id}', { path }));
    showToast({ text: t.removed });
  };
  if (sheet === 'edit')
    return <WebhookForm title={t.edit} webhook={webhook} onSave={save} onClose={onClose} />;
  if (sheet === 'attempts') return <WebhookAttempts webhook={webhook} onClose={onClose} />;
  if (sheet === 'rotate')
    return (
      <Confirmed
        title={t.rotate}
        look="main"
        confirmLabel={t.rotate}
        work={replace}
        onClose={onClose}
      >
        <p>{t.rotateText}</p>
      </Confirmed>
    );
  if (sheet === null) return null;
  return (
    <Confirmed title={t.removeTitle} confirmLabel={t.remove} work={leave} onClose={onClose}>
      <p>{t.removeText}</p>
    </Confirmed>
  );
}

const scopes = { all: t.allRecords, some: t.someRecords } as const;

type RecordKind = NonNullable<WebhookInsert['records']>[number];

/** A dialog that creates or changes a webhook. */
function WebhookForm(props: {
  readonly title: string;
  /** What is edited; absent for a new one. */
  readonly webhook?: Webhook;
  readonly onSave: (values: WebhookInsert) => Promise<unknown>;
  readonly onClose: () => void;
}): ReactElement {
  const { title, webhook, onSave, onClose } = props;
  return (
    <FormDialog
      title={title}
      schema="WebhookInsert"
      begun={{
        url: webhook?.url ?? '',
        description: webhook?.description ?? null,
        records: webhook?.records ?? null,
      }}
      canSubmit={({ url, records }) => url.trim() !== '' && records?.length !== 0}
      fields={({ draft, change }) => [
        { name: 'url', label: t.url, hint: t.urlHint, kind: 'url', placeholder: 'https://' },
        { name: 'description', label: t.description },
        <RecordKinds
          key="records"
          value={draft.records}
          onChange={(records) => change({ records })}
        />,
      ]}
      save={onSave}
      onClose={onClose}
    />
  );
}

/** Of which records the changes are sent: null for all. */
function RecordKinds(props: {
  readonly value: RecordKind[] | null;
  readonly onChange: (records: RecordKind[] | null) => void;
}): ReactElement {
  const { value: records, onChange } = props;
  const kinds = Object.keys(t.recordNames) as (keyof typeof t.recordNames)[];
  return (
    <>
      <Segments
        label={t.records}
        value={records === null ? 'all' : 'some'}
        options={scopes}
        onChange={(scope) => onChange(scope === 'all' ? null : ['transactions'])}
      />
      {records !== null && (
        <fieldset className="check-grid">
          <legend className="hidden">{t.records}</legend>
          {kinds.map((kind) => (
            <CheckField
              key={kind}
              label={t.recordNames[kind]}
              value={records.includes(kind)}
              onChange={(isOn) =>
                onChange(isOn ? [...records, kind] : records.filter((each) => each !== kind))
              }
            />
          ))}
          {records.length === 0 && <p className="problem">{t.oneRecord}</p>}
        </fieldset>
      )}
    </>
  );
}

type WebhookAttemptsProps = Readonly<{ webhook: Webhook; onClose: () => void }>;

/** The log of a webhook: what was sent, and what came back. */
function WebhookAttempts({ webhook, onClose }: WebhookAttemptsProps): ReactElement {
  const attempts = useRead(keys.settings, 'GET /coffer/webhooks/{id}/attempts', {
    path: { id: webhook.id },
    // Read at each look, because the server makes them without a request.
    staleTime: 0,
    select: (all) => all.attempts,
  });
  const write = useWrite();
  const { problem, isBusy, submit } = useSubmitting();
  const redelivery = (attempt: number) => ({ path: { id: webhook.id }, body: { attempt } });
  const resend = (attempt: number) =>
    write(() => request('POST /coffer/webhooks/{id}/redeliver', redelivery(attempt)));
  const columns = useColumns(isBusy, (number) => void submit(() => resend(number)));
  return (
    <Dialog title={t.attempts} look="wide" onClose={onClose}>
      <p className="hint">
        {webhook.url} · {t.attemptsHint}
      </p>
      {problem !== null && <p className="problem">{problem}</p>}
      <Loaded query={attempts}>
        {(all) =>
          all.length === 0 ? (
            <p className="nothing">{t.noAttempts}</p>
          ) : (
            <Table
              label={t.attempts}
              columns={columns}
              rows={all}
              rowKey={({ number }) => number}
            />
          )
        }
      </Loaded>
    </Dialog>
  );
}

function useColumns(
  isBusy: boolean,
  resend: (number: number) => void,
): Column<Schemas['WebhookAttempt']>[] {
  const preferences = usePreferences();
  return [
    { title: t.when, isHeading: true, cell: ({ at }) => formatTime(at, preferences) },
    { title: t.kind, cell: ({ kind }) => t.kinds[kind] },
    {
      title: t.outcome,
      cell: ({ delivered, status, error }) =>
        delivered ? (
          <span className="badge good">
            {t.good} {status}
          </span>
        ) : (
          <span className="problem">{error ?? status}</span>
        ),
    },
    { title: t.took, align: 'end', cell: (each) => `${each.duration_ms} ms` },
    { title: t.changes, align: 'end', cell: ({ changes }) => changes },
    {
      title: t.resend,
      cell: ({ number, kind }) =>
        kind !== 'ping' && (
          <Button
            look="quiet"
            icon="undo"
            disabled={isBusy}
            aria-label={t.resendLabel(String(number))}
            onClick={() => resend(number)}
          />
        ),
    },
  ];
}
