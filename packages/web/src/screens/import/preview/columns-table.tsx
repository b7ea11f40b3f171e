import { useState } from 'react';
import type { ReactElement } from 'react';
import { columnKeys, isReadable } from '../../../books/imports/import-options.ts';
import type { ColumnKey, FileColumn } from '../../../books/imports/import-options.ts';
import { SelectField } from '../../../parts/fields/select-field.tsx';
import { Table } from '../../../parts/lists/table.tsx';
import { importTexts as t } from '../../../texts/en/import.ts';

/** The columns of a file, and what they hold. */
export interface ColumnsTableProps {
  readonly columns: readonly FileColumn[];
  /** Called with columns that can be read. */
  readonly onMap: (columns: readonly FileColumn[]) => void;
}

const choices = [
  { value: '', label: t.notRead },
  ...columnKeys.map((key) => ({ value: key, label: t.columnKeys[key] })),
];

/** A table with a row for each column of the file: its name, its first value, and what it holds. */
export function ColumnsTable({ columns, onMap }: ColumnsTableProps): ReactElement {
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
          { key: 'name', title: t.column, isHeading: true, cell: nameOf },
          { key: 'sample', title: t.value, cell: ({ sample }) => sample },
          {
            key: 'key',
            title: t.holds,
            cell: (column) => (
              <SelectField
                label={t.columnHolds(nameOf(column))}
                isLabelHidden
                value={column.key}
                options={choices}
                onChange={(key) => choose(column.number, key as ColumnKey | '')}
              />
            ),
          },
        ]}
      />
      {!isReadable(all) && <p className="problem">{t.columnsHint}</p>}
    </section>
  );
}
