import { useEffect, useState, type ReactElement } from 'react';
import type { Problem } from '../../api/errors.ts';
import {
  askedFor,
  columnsInText,
  columnsOf,
  given,
  mapOf,
  columnKeys,
  isReadable,
} from '../../books/imports/options.ts';
import type { FileColumn, ColumnKey } from '../../books/imports/options.ts';
import type { ImportMapping, ImportOptions } from '../../books/types.ts';
import { Button } from '../../parts/button.tsx';
import { CheckField, SelectField, TextField, optionsOf } from '../../parts/fields/fields.tsx';
import type { SelectOption } from '../../parts/fields/fields.tsx';
import { Table } from '../../parts/lists/table.tsx';
import { importTexts as t } from '../../texts/en/import.ts';

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
          value={draft.skip_bad_rows === true}
          onChange={(checked) => change({ skip_bad_rows: checked ? true : undefined })}
        />
      )}
      {(anyYear || draft.any_year === true) && (
        <CheckField
          label={t.anyYear}
          value={draft.any_year === true}
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
        options={[...(hasFound ? [found] : []), ...optionsOf(t.dateFormats)]}
        onChange={(date_format) => onChange({ date_format })}
      />
      <SelectField
        label={t.decimal}
        value={used.decimal ?? mapping?.decimal ?? ''}
        options={[...(mapping === null ? [found] : []), ...optionsOf(t.decimals)]}
        onChange={(decimal) => onChange({ decimal })}
      />
      <SelectField
        label={t.sign}
        value={sign === undefined ? 'false' : String(sign)}
        options={optionsOf(t.signs)}
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

const encodings =
  'utf-8 windows-1252 windows-1250 windows-1251 iso-8859-15 utf-16le shift_jis gb18030 big5 euc-kr'.split(
    ' ',
  );

const keyChoices: SelectOption<ColumnKey | ''>[] = [
  { value: '', label: t.notRead },
  ...columnKeys.map((key) => ({ value: key, label: t.columnKeys[key] })),
];

/** A table with a row for each column of the file: its name, its first value, and what it holds. */
function ColumnsTable(props: {
  readonly columns: readonly FileColumn[];
  /** Called with columns that can be read. */
  readonly onMap: (columns: readonly FileColumn[]) => void;
}): ReactElement {
  const { columns, onMap } = props;
  const [chosen, setChosen] = useState<ReadonlyMap<number, ColumnKey | ''>>(new Map());
  const all = columns.map((column) => ({
    ...column,
    key: chosen.get(column.number) ?? column.key,
  }));
  const choose = (number: number, key: ColumnKey | ''): void => {
    // One column for each key: the one that was chosen last.
    const other = all.find(
      (column) => column.key === key && key !== '' && column.number !== number,
    );
    const next = new Map(chosen).set(number, key);
    if (other !== undefined) next.set(other.number, '');
    setChosen(next);
    const changed = all.map((column) => ({
      ...column,
      key: next.get(column.number) ?? column.key,
    }));
    if (isReadable(changed)) onMap(changed);
  };
  const nameOf = ({ name, number }: FileColumn): string =>
    name === '' ? t.columnNumber(number) : name;
  return (
    <section className="stack" aria-label={t.columns}>
      <Table
        label={t.columns}
        rows={all}
        rowKey={({ number }) => number}
        columns={[
          { title: t.column, isHeading: true, cell: nameOf },
          { title: t.value, cell: ({ sample }) => sample },
          {
            title: t.holds,
            cell: (column) => (
              <SelectField
                label={t.columnHolds(nameOf(column))}
                isLabelHidden
                value={column.key}
                options={keyChoices}
                onChange={(key) => choose(column.number, key)}
              />
            ),
          },
        ]}
      />
      {!isReadable(all) && <p className="problem">{t.columnsHint}</p>}
    </section>
  );
}

/** A problem of a file, as the server has it; the place is known for rows. */
export interface FileProblem {
  readonly errMsg?: unknown;
  readonly line?: unknown;
  readonly column?: unknown;
  readonly value?: unknown;
  readonly reason?: unknown;
}

const mostShown = 20;

type ProblemsProps = Readonly<{ problems: readonly FileProblem[] }>;

/** What is wrong with a file: where, and why. */
export function Problems({ problems }: ProblemsProps): ReactElement | null {
  const placed = problems.filter(({ line }) => typeof line === 'number');
  const others = problems.filter(({ line }) => typeof line !== 'number');
  const shown = Math.min(placed.length, mostShown) + Math.min(others.length, mostShown);
  if (problems.length === 0) return null;
  return (
    <div className="stack" role="alert">
      {others.slice(0, mostShown).map(({ errMsg, reason }, place) => (
        <p key={place} className="problem">
          {shownValue(errMsg ?? reason)}
        </p>
      ))}
      {placed.length > 0 && (
        <Table
          label={t.problem}
          rows={placed.slice(0, mostShown).map((problem, place) => ({ ...problem, place }))}
          rowKey={({ place }) => place}
          columns={[
            { title: t.line, align: 'end', cell: ({ line }) => shownValue(line) },
            { title: t.column, cell: ({ column }) => shownValue(column) },
            { title: t.value, cell: ({ value }) => <Value value={value} /> },
            { title: t.problem, cell: ({ reason, errMsg }) => shownValue(reason ?? errMsg) },
          ]}
        />
      )}
      {problems.length > shown && <p>{t.moreProblems(problems.length - shown)}</p>}
    </div>
  );
}

function Value({ value }: { readonly value: unknown }): ReactElement | null {
  const text = shownValue(value);
  return text === '' ? null : <code>{text}</code>;
}

function shownValue(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
