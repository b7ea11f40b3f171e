import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { keys } from '../../../api/keys.ts';
import { request } from '../../../api/request.ts';
import type { TransactionChange } from '../../../api/types.ts';
import { formatTime } from '../../../books/formats/dates.ts';
import { Button } from '../../../parts/button.tsx';
import { usePreferences } from '../../../parts/preferences.ts';
import { entryTexts as t, transactionTexts as list } from '../../../texts/en/transactions.ts';
import { useEditing } from '../list/use-editing.ts';
import type { Names } from '../list/use-names.ts';

/** What happened to a transaction, the newest first, each with its undo. */
export function EntryHistory({
  id,
  names,
}: {
  readonly id: number;
  readonly names: Names;
}): ReactElement {
  const format = usePreferences();
  const { undoVersion } = useEditing();
  const { data } = useQuery({
    queryKey: keys.history(id),
    queryFn: ({ signal }) =>
      request<{ history: TransactionChange[] }>('GET', `/coffer/transactions/${id}/history`, {
        signal,
      }),
  });
  return (
    <section>
      <h3>{t.history}</h3>
      <ol className="changes">
        {(data?.history ?? []).map((change) => (
          <li key={change.version} className={change.undone_by === null ? '' : 'undone'}>
            <span>
              <strong>{t.kinds[change.kind]}</strong> {changesOf(change, names)}
            </span>
            <small>{formatTime(change.at, format)}</small>
            {change.undone_by === null && change.kind !== 'made' && (
              <Button
                look="quiet"
                icon="undo"
                aria-label={t.undoThis}
                onClick={() => void undoVersion(change.version)}
              />
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}

const labels: Readonly<Record<string, string>> = {
  ...list.columns,
  category_id: list.columns.category,
  status: list.status,
};

/** The values that a change gave, in words. */
function changesOf({ kind, before, after }: TransactionChange, names: Names): string {
  if (kind !== 'changed') return '';
  const shown = (column: string, value: unknown): string => {
    if (column === 'category_id')
      return names.categoryOf({ category_id: value as number | null }) ?? list.noCategory;
    return typeof value === 'string' || typeof value === 'number' ? String(value) : '–';
  };
  return Object.keys(after ?? {})
    .filter((column) => column in labels)
    .map(
      (column) =>
        `${labels[column]}: ${shown(column, before?.[column])} → ${shown(column, after?.[column])}`,
    )
    .join('; ');
}
