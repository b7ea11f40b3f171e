import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import type { Problem } from '../../../api/errors.ts';
import type { ImportMapping, ImportOptions } from '../../../api/types.ts';
import {
  askedFor,
  columnsInText,
  columnsOf,
  given,
  mapOf,
} from '../../../books/imports/import-options.ts';
import type { FileColumn } from '../../../books/imports/import-options.ts';
import { Button } from '../../../parts/button.tsx';
import { CheckField } from '../../../parts/fields/check-field.tsx';
import { SelectField } from '../../../parts/fields/select-field.tsx';
import { TextField } from '../../../parts/fields/text-field.tsx';
import { importTexts as t } from '../../../texts/en/import.ts';
import { ColumnsTable } from './columns-table.tsx';

/** How a file was read, and how it shall be. */
export interface ReadingFormProps {
  /** Null when this page does not have the file. */
  readonly file: File | null;
  readonly options: ImportOptions;
  /** Null for a format without columns, and for a file that was not read. */
  readonly mapping: ImportMapping | null;
  readonly remembered: ImportOptions;
  readonly problems: readonly Problem[];
  /** What the preview of a file that was read says of it. */
  readonly warnings?: readonly { readonly text: string }[];
  readonly isWorking: boolean;
  readonly onRead: (options: ImportOptions) => void;
}

const sampleBytes = 20_000;
const withColumns = new Set(['csv', 'txt', 'tsv', 'html', 'htm', 'xlsx']);

/** The columns that a person can name: those of the mapping, or of the text of the file. */
function useColumns({ file, mapping }: ReadingFormProps): readonly FileColumn[] {
  const [found, setFound] = useState<readonly FileColumn[]>([]);
  const ending = file?.name.split('.').at(-1)?.toLowerCase() ?? '';
  const isText = mapping === null && file !== null && withColumns.has(ending);
  useEffect(() => {
    let isLeft = false;
    if (isText)
      void file
        .slice(0, sampleBytes)
        .text()
        .then((text) => {
          if (!isLeft) setFound(columnsInText(text));
        });
    return () => {
      isLeft = true;
    };
  }, [file, isText]);
  return mapping === null ? found : columnsOf(mapping);
}

/** How a file is read. Each choice reads it again at once; a file that was refused is read by a button. */
export function ReadingForm(props: ReadingFormProps): ReactElement {
  const { options, mapping, remembered, problems, warnings = [], isWorking, onRead } = props;
  const columns = useColumns(props);
  const [draft, setDraft] = useState<ImportOptions>(options);
  const asked = askedFor(problems);
  const isRefused = mapping === null && problems.length > 0;
  const change = (part: Part): void => {
    const next: ImportOptions = given({ ...draft, ...part });
    setDraft(next);
    if (!isRefused) onRead(next);
  };
  const used = { ...remembered, ...draft };
  const { anyYear } = askedFor([...problems, ...warnings.map(({ text }) => ({ errMsg: text }))]);
  const hasFound = asked.dateFormat || mapping === null;
  return (
    <form
      className="stack reading-form"
      onSubmit={(event) => {
        event.preventDefault();
        onRead(draft);
      }}
    >
      <ReadingFields {...{ used, mapping, hasFound, onChange: change }} />
      {columns.length > 0 && (mapping !== null || asked.columns) && (
        <ColumnsTable
          columns={columns}
          onMap={(next) => change({ map: mapOf(next, columns, used.map) })}
        />
      )}
      {isRefused && (
        <CheckField
          label={t.skipBad}
          isChecked={draft.skip_bad_rows === true}
          onChange={(checked) => change({ skip_bad_rows: checked ? true : undefined })}
        />
      )}
      {(anyYear || draft.any_year === true) && (
        <CheckField
          label={t.anyYear}
          isChecked={draft.any_year === true}
          onChange={(checked) => change({ any_year: checked ? true : undefined })}
        />
      )}
      <p className="hint">{t.willRemember}</p>
      {isRefused && (
        <div className="actions">
          <Button look="main" type="submit" disabled={isWorking}>
            {t.readAgain}
          </Button>
        </div>
      )}
    </form>
  );
}

type Part = Readonly<Record<string, unknown>>;

/** The choices that do not depend on columns. */
function ReadingFields(props: {
  /** What is chosen, or remembered. */
  readonly used: ImportOptions;
  readonly mapping: ImportMapping | null;
  /** Whether the date format can be left to the server. */
  readonly hasFound: boolean;
  readonly onChange: (part: Part) => void;
}): ReactElement {
  const { used, mapping, hasFound, onChange } = props;
  const found = { value: '', label: t.found };
  const sign = used.negate ?? mapping?.negate;
  return (
    <div className="reading-fields">
      <SelectField
        label={t.dateFormat}
        value={used.date_format ?? mapping?.date_format ?? ''}
        options={[...(hasFound ? [found] : []), ...choices(t.dateFormats)]}
        onChange={(date_format) => onChange({ date_format })}
      />
      <SelectField
        label={t.decimal}
        value={used.decimal ?? mapping?.decimal ?? ''}
        options={[...(mapping === null ? [found] : []), ...choices(t.decimals)]}
        onChange={(decimal) => onChange({ decimal })}
      />
      <SelectField
        label={t.sign}
        value={sign === undefined ? 'false' : String(sign)}
        options={choices(t.signs)}
        onChange={(negate) => onChange({ negate: negate === 'true' })}
      />
      <SelectField
        label={t.encoding}
        value={used.encoding ?? ''}
        options={[found, ...encodings.map((value) => ({ value, label: value }))]}
        onChange={(encoding) => onChange({ encoding })}
      />
      <TextField
        key={used.currency}
        label={t.currency}
        defaultValue={used.currency ?? ''}
        placeholder="EUR"
        maxLength={5}
        autoCapitalize="characters"
        onBlur={({ currentTarget: { value } }) => {
          const currency = value.trim();
          if (currency !== (used.currency ?? '')) onChange({ currency });
        }}
      />
    </div>
  );
}

const encodings = [
  'utf-8',
  'windows-1252',
  'windows-1250',
  'windows-1251',
  'iso-8859-15',
  'utf-16le',
  'shift_jis',
  'gb18030',
  'big5',
  'euc-kr',
];

function choices(labels: Readonly<Record<string, string>>): { value: string; label: string }[] {
  return Object.entries(labels).map(([value, label]) => ({ value, label }));
}
