import type { ReactElement } from 'react';
import type { BudgetRow } from '../../books/budget/budget.ts';
import { Button } from '../../parts/button.tsx';
import { budgetTexts as t } from '../../texts/en/budget.ts';
import { sourceOf } from './sheet/sheet-actions.ts';
import type { SheetActions, Source } from './sheet/sheet-actions.ts';

/** What a period without a budget offers to begin with. */
export function FreshPeriod(props: {
  readonly label: string;
  readonly rows: readonly BudgetRow[];
  readonly actions: SheetActions;
}): ReactElement {
  const { label, rows, actions } = props;
  const has = (source: Source): boolean => rows.some((row) => sourceOf(row, source, '') !== null);
  const sources = (['previous', 'average'] as const).filter(has);
  const labels = { previous: t.fillPrevious, average: t.fillAverage };
  return (
    <section className="card fresh">
      <div>
        <h2>{t.fresh(label)}</h2>
        <p className="hint">{t.freshHint}</p>
      </div>
      <div className="actions">
        {sources.map((source) => (
          <Button key={source} onClick={() => void actions.fill(source)}>
            {labels[source]}
          </Button>
        ))}
      </div>
    </section>
  );
}
