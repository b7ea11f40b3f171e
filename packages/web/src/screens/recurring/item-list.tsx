import { useRef } from 'react';
import type { KeyboardEvent, ReactElement } from 'react';
import type { RecurringItem } from '../../books/recurring/recurring.ts';
import { EmptyState } from '../../parts/states/empty-state.tsx';
import { Button } from '../../parts/button.tsx';
import { recurringTexts as t } from '../../texts/en/recurring.ts';
import { ItemRow } from './item-row.tsx';
import type { ItemsProps } from './props.ts';

/** The items by state, the next one first. The arrows lead from one to the next. */
export function ItemList(props: ItemsProps): ReactElement {
  const { items, onEdit } = props;
  const list = useRef<HTMLDivElement>(null);
  if (items.length === 0)
    return (
      <EmptyState icon="recurring" title={t.empty} hint={t.emptyHint}>
        <Button look="main" icon="plus" onClick={() => onEdit('new')}>
          {t.create}
        </Button>
      </EmptyState>
    );
  const of = (status: string): readonly RecurringItem[] =>
    items.filter(({ details }) => details.status === status);
  const move = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined || list.current === null) return;
    const rows = [...list.current.querySelectorAll<HTMLElement>('.item-name')];
    const at = rows.findIndex((row) => row.closest('li')?.contains(document.activeElement));
    event.preventDefault();
    rows[Math.max(0, Math.min(at + step, rows.length - 1))]?.focus();
  };
  return (
    <div ref={list} className="stack" onKeyDown={move}>
      {(['suggested', 'reviewed', 'dismissed'] as const).map((status) => {
        const rows = of(status);
        if (rows.length === 0) return null;
        return (
          <section key={status} className={`due-items ${status}`}>
            <h2>{t.sections[status]}</h2>
            {status === 'suggested' && <p className="hint">{t.suggestedHint}</p>}
            <ul>
              {rows.map((item) => (
                <ItemRow key={item.details.id} {...props} item={item} />
              ))}
            </ul>
          </section>
        );
      })}
    </div>
  );
}
