import type { ReactElement, ReactNode } from 'react';
import type { ChangeKind, FieldChange } from '../../books/history/changes.ts';
import { formatDate } from '../../books/formats/dates.ts';
import { Money } from '../money.tsx';
import { usePreferences } from '../preferences.ts';

/** Values of a record before and after a change. */
export interface ChangedFieldsProps {
  readonly kind: ChangeKind;
  readonly fields: readonly FieldChange[];
  readonly labels: {
    readonly before: string;
    readonly after: string;
    readonly none: string;
    readonly yes: string;
    readonly no: string;
  };
  /** Names the record that a column refers to; null when it does not know. */
  readonly nameOf: (column: string, value: unknown) => ReactNode;
  /** The currency of the amounts; null when it is not known. */
  readonly currency: string | null;
}

/** What changed in a record: each value as it was, and as it became. */
export function ChangedFields(props: ChangedFieldsProps): ReactElement {
  const { kind, fields, labels } = props;
  return (
    <dl className="changed-fields">
      {fields.map(({ column, before, after }) => (
        <div key={column}>
          <dt>{wordsOf(column)}</dt>
          {kind !== 'made' && (
            <dd className="before">
              {kind === 'changed' && <span className="hidden">{labels.before}: </span>}
              <Value {...props} column={column} value={before} />
            </dd>
          )}
          {kind !== 'removed' && (
            <dd className="after">
              {kind === 'changed' && <span className="hidden">{labels.after}: </span>}
              <Value {...props} column={column} value={after} />
            </dd>
          )}
        </div>
      ))}
    </dl>
  );
}

const amounts = new Set(['amount', 'balance', 'to_base', 'limit', 'credit_limit']);

function Value(
  props: Omit<ChangedFieldsProps, 'kind' | 'fields'> & {
    readonly column: string;
    readonly value: unknown;
  },
): ReactNode {
  const { column, value, labels, nameOf, currency } = props;
  const preferences = usePreferences();
  const name = nameOf(column, value);
  if (name !== null) return name;
  if (value === null || value === undefined || value === '') return <em>{labels.none}</em>;
  if (typeof value === 'boolean') return value ? labels.yes : labels.no;
  if (typeof value !== 'string' && typeof value !== 'number')
    return <code>{JSON.stringify(value)}</code>;
  const text = String(value);
  if (amounts.has(column) && /^-?\d+(\.\d+)?$/.test(text))
    return <Money amount={text} currency={currency ?? ''} hasCurrency={currency !== null} />;
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return formatDate(text, 'medium', preferences);
  return text;
}

/** `manual_account_id` as `manual account`. */
function wordsOf(column: string): string {
  return column.replace(/_id$/, '').replaceAll('_', ' ');
}
