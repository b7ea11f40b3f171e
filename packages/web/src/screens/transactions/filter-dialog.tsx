import type { ReactElement } from 'react';
import type { Filter } from '../../books/filter/filter.ts';
import { withNamed } from '../../books/filter/tokens.ts';
import { Combobox, CategoryPicker } from '../../parts/fields/combobox.tsx';
import { Segments } from '../../parts/fields/fields.tsx';
import { Dialog } from '../../parts/overlays/dialog.tsx';
import { transactionTexts as t } from '../../texts/en/transactions.ts';
import type { Names } from '../flow/names.ts';

/** Filters by category, tag, account and status. */
export function FilterDialog(props: {
  readonly filter: Filter;
  readonly names: Names;
  readonly onFilter: (filter: Filter) => void;
  readonly onClose: () => void;
}): ReactElement {
  const { filter, names, onFilter, onClose } = props;
  const apply = (next: Filter): void => {
    onFilter(next);
    onClose();
  };
  const accounts = [...names.accounts].map(([id, name]) => ({ id, name }));
  return (
    <Dialog title={t.filter} onClose={onClose}>
      <div className="stack">
        <CategoryPicker
          label={t.columns.category}
          placeholder={t.columns.category}
          categories={names.categories}
          categoryId={null}
          onChoose={(id) => apply(withNamed(filter, 'category', String(id ?? 0)))}
        />
        <Combobox
          label={t.columns.tags}
          placeholder={t.columns.tags}
          options={names.tags}
          onChoose={(tag) => apply(withNamed(filter, 'tag', String(tag?.id ?? 0)))}
        />
        <Combobox
          label={t.columns.account}
          placeholder={t.columns.account}
          options={accounts}
          onChoose={(account) => {
            if (account === null) return;
            apply(withNamed(filter, 'account', account.id));
          }}
        />
        <Segments
          label={t.status}
          value={filter.status}
          options={t.statuses}
          onChange={(status) => onFilter({ ...filter, status })}
        />
        <Segments
          label={t.only}
          value={filter.only}
          options={t.kinds}
          onChange={(only) => onFilter({ ...filter, only })}
        />
      </div>
    </Dialog>
  );
}
