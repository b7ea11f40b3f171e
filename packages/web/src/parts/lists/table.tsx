import type { ReactElement, ReactNode } from 'react';

/** A column of a table. */
export interface Column<Row> {
  /** Each column has another one. */
  readonly title: string;
  /** `end` for numbers. */
  readonly align?: 'start' | 'end';
  readonly cell: (row: Row) => ReactNode;
  /** The cell names its row for screen readers. */
  readonly isHeading?: boolean;
}

/** A table of some dozens of rows. */
export interface TableProps<Row> {
  /** What the table shows, for screen readers. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string | number;
}

/** A table of the platform; on a narrow screen it scrolls sideways within its frame. */
export function Table<Row>({ label, columns, rows, rowKey }: TableProps<Row>): ReactElement {
  return (
    <div className="table-frame" role="region" aria-label={label} tabIndex={0}>
      <table className="table">
        <caption className="hidden">{label}</caption>
        <thead>
          <tr>
            {columns.map(({ title, align = 'start' }) => (
              <th key={title} scope="col" className={align}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)}>
              {columns.map(({ title, align = 'start', cell, isHeading = false }) =>
                isHeading ? (
                  <th key={title} scope="row" className={align}>
                    {cell(row)}
                  </th>
                ) : (
                  <td key={title} className={align}>
                    {cell(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
