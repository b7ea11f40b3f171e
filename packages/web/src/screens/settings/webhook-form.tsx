import { useState } from 'react';
import type { ReactElement } from 'react';
import { CheckField } from '../../parts/fields/check-field.tsx';
import { Dialog } from '../../parts/overlays/dialog.tsx';
import { Segments } from '../../parts/fields/segments.tsx';
import { TextField } from '../../parts/fields/text-field.tsx';
import { ownChangesTexts } from '../../texts/en/own-changes.ts';
import { settingsTexts } from '../../texts/en/settings.ts';
import { SubmitForm } from '../flow/submitting.tsx';
import type { Webhook, WebhookInsert } from './data.ts';

const t = settingsTexts.webhooks;
const scopes = { all: t.allRecords, some: t.someRecords } as const;

type RecordKind = NonNullable<WebhookInsert['records']>[number];

/** The properties of a webhook that a person sets. */
export interface WebhookFormProps {
  readonly title: string;
  /** What is edited; absent for a new one. */
  readonly webhook?: Webhook;
  readonly onSave: (values: WebhookInsert) => Promise<void>;
  readonly onClose: () => void;
}

/** A dialog that creates or changes a webhook. */
export function WebhookForm({ title, webhook, onSave, onClose }: WebhookFormProps): ReactElement {
  const [url, setUrl] = useState(webhook?.url ?? '');
  const [description, setDescription] = useState(webhook?.description ?? '');
  const [records, setRecords] = useState<readonly RecordKind[] | null>(webhook?.records ?? null);
  const isIncomplete = url.trim() === '' || records?.length === 0;
  const save = (): Promise<void> => {
    const note = description.trim() === '' ? null : description.trim();
    const chosen = records === null ? null : [...records];
    return onSave({ url: url.trim(), description: note, records: chosen });
  };
  return (
    <Dialog title={title} closeLabel={ownChangesTexts.close} onClose={onClose}>
      <SubmitForm canSubmit={!isIncomplete} work={save}>
        <TextField
          label={t.url}
          hint={t.urlHint}
          type="url"
          placeholder="https://"
          required
          autoFocus
          maxLength={2000}
          value={url}
          onChange={({ currentTarget }) => setUrl(currentTarget.value)}
        />
        <TextField
          label={t.description}
          maxLength={200}
          value={description}
          onChange={({ currentTarget }) => setDescription(currentTarget.value)}
        />
        <RecordKinds records={records} onChange={setRecords} />
      </SubmitForm>
    </Dialog>
  );
}

/** Of which records the changes are sent: null for all. */
function RecordKinds(props: {
  readonly records: readonly RecordKind[] | null;
  readonly onChange: (records: readonly RecordKind[] | null) => void;
}): ReactElement {
  const { records, onChange } = props;
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
              isChecked={records.includes(kind)}
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
