import type { ReactElement } from 'react';
import { useAccounts } from '../../api/hooks.ts';
import type { Filter } from '../../books/filter/filter.ts';
import { Combobox, CategoryPicker } from '../../parts/fields/combobox.tsx';
import { Segments } from '../../parts/fields/fields.tsx';
import { Dialog } from '../../parts/overlays/dialog.tsx';
import { transactionTexts as t } from '../../texts/en/transactions.ts';
import type { Names } from './data.ts';

/** Adds filters by picking. */
export interface FilterDialogProps {
  readonly filter: Filter;
  readonly names: Names;
  readonly onFilter: (filter: Filter) => void;
  readonly onClose: () => void;
}

/** Filters by category, tag, account and status. */
export function FilterDialog({
  filter,
  names,
  onFilter,
  onClose,
}: FilterDialogProps): ReactElement {
  const { data: accounts } = useAccounts();
  const add = (ids: readonly number[], id: number): number[] =>
    [...new Set([...ids, id])].toSorted((a, b) => a - b);
  const apply = (next: Filter): void => {
    onFilter(next);
    onClose();
  };
  const options = [
    ...(accounts?.manual ?? []).map((each) => ({ ...named(each), isManual: true })),
    ...(accounts?.plaid ?? []).map((each) => ({ ...named(each), isManual: false })),
  ].map((each) => ({ ...each, id: `${each.isManual ? 'm' : 'p'}${each.number}` }));
  return (
    <Dialog title={t.filter} closeLabel={t.close} onClose={onClose}>
      <div className="stack">
        <CategoryPicker
          label={t.columns.category}
          placeholder={t.columns.category}
          categories={names.categories}
          categoryId={null}
          onChoose={(id) => apply({ ...filter, categoryIds: add(filter.categoryIds, id ?? 0) })}
        />
        <Combobox
          label={t.columns.tags}
          placeholder={t.columns.tags}
          options={names.tags}
          onChoose={(tag) => apply({ ...filter, tagIds: add(filter.tagIds, tag?.id ?? 0) })}
        />
        <Combobox
          label={t.columns.account}
          placeholder={t.columns.account}
          options={options}
          onChoose={(account) => {
            if (account === null) return;
            const { isManual, number } = account;
            if (isManual)
              apply({ ...filter, manualAccountIds: add(filter.manualAccountIds, number) });
            else apply({ ...filter, plaidAccountIds: add(filter.plaidAccountIds, number) });
          }}
        />
        <Segments
          label={t.status}
          value={filter.status}
          options={t.statuses}
          onChange={(status) => onFilter({ ...filter, status })}
        />
      </div>
    </Dialog>
  );
}

function named(account: {
  readonly id: number;
  readonly name: string;
  readonly display_name: string | null;
}) {
  return { number: account.id, name: account.display_name ?? account.name };
}
