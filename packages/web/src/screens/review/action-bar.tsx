import type { ReactElement } from 'react';
import type { Transaction } from '../../api/types.ts';
import { sumOf } from '../../books/formats/money.ts';
import { Button } from '../../parts/button.tsx';
import type { ButtonProps } from '../../parts/button.tsx';
import { Money } from '../../parts/money.tsx';
import { usePreferences } from '../../parts/preferences.ts';
import { reviewTexts as t } from '../../texts/en/review.ts';
import type { Names } from '../transactions/list/use-names.ts';
import { useSamePayee } from './data.ts';
import type { ReviewActions } from './use-review-actions.ts';

/** What can be done, and to what. */
export interface ActionBarProps {
  readonly actions: ReviewActions;
  /** The active row. */
  readonly row: Transaction | undefined;
  readonly suggestion: number | null;
  readonly names: Names;
}

/** The same as the keys as buttons: for the selection, or else for the active row. */
export function ActionBar(props: ActionBarProps): ReactElement | null {
  const { actions, row } = props;
  if (actions.selected.size > 0) return <ForSelection {...props} />;
  return row === undefined ? null : <ForRow {...props} row={row} />;
}

function ForRow(props: ActionBarProps & { readonly row: Transaction }): ReactElement {
  const { actions, row, suggestion, names } = props;
  const { locale } = usePreferences();
  const count = useSamePayee(row.payee);
  const suggested = names.categoryOf({ category_id: suggestion });
  return (
    <div className="bulk-bar review-bar" role="toolbar" aria-label={t.actions}>
      <Action className="wide" look="main" icon="check" keyName="e" onClick={actions.mark}>
        {t.mark}
      </Action>
      {suggested !== null && (
        <Action className="wide" keyName="y" onClick={actions.accept}>
          {t.accept(suggested)}
        </Action>
      )}
      <Action icon="categories" keyName="c" onClick={() => actions.edit('category')}>
        {t.category}
      </Action>
      <Action icon="edit" keyName="n" onClick={() => actions.edit('notes')}>
        {t.notes}
      </Action>
      <Action icon="split" keyName="s" onClick={actions.keys.split}>
        {t.split}
      </Action>
      {count !== undefined && count > 1 && (
        <Action icon="transactions" keyName="⇧A" onClick={actions.keys.selectPayee}>
          {t.all(count, locale)} <span className="of-payee">{t.ofPayee(row.payee)}</span>
        </Action>
      )}
      <Action icon="undo" keyName="u" onClick={actions.keys.undo}>
        {t.undo}
      </Action>
    </div>
  );
}

function ForSelection({ actions }: ActionBarProps): ReactElement {
  const { locale } = usePreferences();
  const rows = [...actions.selected.values()];
  const [first] = rows;
  const isOneCurrency = rows.every(({ currency }) => currency === first?.currency);
  return (
    <div className="bulk-bar review-bar" role="toolbar" aria-label={t.actions}>
      <p role="status">
        <strong>{t.selected(rows.length, locale)}</strong>{' '}
        {isOneCurrency && first !== undefined && (
          <Money
            amount={sumOf(rows.map(({ amount }) => amount))}
            currency={first.currency}
            sign="debit"
          />
        )}
      </p>
      <Action className="wide" look="main" icon="check" keyName="e" onClick={actions.mark}>
        {t.mark}
      </Action>
      <Action icon="categories" keyName="c" onClick={() => actions.edit('category')}>
        {t.category}
      </Action>
      <Action icon="tag" keyName="t" onClick={() => actions.edit('tags')}>
        {t.tag}
      </Action>
      <Action icon="close" keyName="Esc" onClick={actions.keys.deselect}>
        {t.deselect}
      </Action>
    </div>
  );
}

function Action(props: ButtonProps & { readonly keyName: string }): ReactElement {
  const { keyName, children, ...rest } = props;
  return (
    <Button {...rest}>
      <span className="action-label">{children}</span>
      <kbd aria-hidden="true">{keyName}</kbd>
    </Button>
  );
}
