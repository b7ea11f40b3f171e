import type { ReactElement } from 'react';
import type { Transaction } from '../../api/types.ts';
import { sumOf } from '../../books/formats/money.ts';
import { Button } from '../../parts/button.tsx';
import { Money } from '../../parts/money.tsx';
import { usePreferences } from '../../parts/preferences.ts';
import { transactionTexts as t } from '../../texts/en/transactions.ts';
import type { ListActions } from './list/use-list-actions.ts';

/** What can be done to the selection. */
export interface BulkBarProps {
  readonly actions: ListActions;
  readonly onGroup: (rows: readonly Transaction[]) => void;
}

/** How many transactions are selected, and what can be done to all of them. */
export function BulkBar({ actions, onGroup }: BulkBarProps): ReactElement | null {
  const { locale } = usePreferences();
  const rows = [...actions.selected.values()];
  const [first] = rows;
  if (first === undefined) return null;
  const isOneCurrency = rows.every(({ currency }) => currency === first.currency);
  return (
    <div className="bulk-bar" role="toolbar" aria-label={t.selected(rows.length, locale)}>
      <p>
        <strong>{t.selected(rows.length, locale)}</strong>{' '}
        {isOneCurrency && (
          <Money
            amount={sumOf(rows.map(({ amount }) => amount))}
            currency={first.currency}
            sign="debit"
          />
        )}
      </p>
      <Button icon="check" onClick={actions.review}>
        {t.review}
      </Button>
      <Button icon="categories" onClick={() => actions.edit('category')}>
        {t.setCategory}
      </Button>
      <Button icon="tag" onClick={() => actions.edit('tags')}>
        {t.addTag}
      </Button>
      {rows.length > 1 && (
        <Button icon="group" onClick={() => onGroup(rows)}>
          {t.merge}
        </Button>
      )}
      <Button icon="trash" look="danger" onClick={actions.remove}>
        {t.remove}
      </Button>
      <Button icon="close" look="quiet" aria-label={t.deselect} onClick={actions.clear} />
    </div>
  );
}
