import type { ReactElement, ReactNode } from 'react';
import { useAccounts, useCategories, useTags } from '../../api/hooks.ts';
import { fieldsOf } from '../../books/history/changes.ts';
import type { RecordChange } from '../../books/history/changes.ts';
import { ChangedFields } from '../../parts/lists/changed-fields.tsx';
import { historyTexts as t } from '../../texts/en/history.ts';

/** The values of a record before and after a change, with the names of categories, accounts and tags. */
export function RecordFields({ change }: { readonly change: RecordChange }): ReactElement {
  const nameOf = useNames();
  return (
    <ChangedFields
      kind={change.kind}
      fields={fieldsOf(change)}
      labels={t}
      nameOf={nameOf}
      currency={currencyOf(change)}
    />
  );
}

function currencyOf({ before, after }: RecordChange): string | null {
  const currency = after?.['currency'] ?? before?.['currency'];
  return typeof currency === 'string' ? currency : null;
}

/** Returns what names the record that a column refers to; null for other columns, and for one that is gone. */
function useNames(): (column: string, value: unknown) => ReactNode {
  const categories = useCategories().data ?? [];
  const accounts = useAccounts().data;
  const tags = useTags().data ?? [];
  return (column, value) => {
    if (typeof value !== 'number') return null;
    if (column === 'category_id' || column === 'group_id')
      return categories.find(({ id }) => id === value)?.name ?? null;
    if (column === 'tag_id') return tags.find(({ id }) => id === value)?.name ?? null;
    if (column === 'manual_account_id')
      return accounts?.manual.find(({ id }) => id === value)?.name ?? null;
    if (column === 'plaid_account_id')
      return accounts?.plaid.find(({ id }) => id === value)?.name ?? null;
    return null;
  };
}
