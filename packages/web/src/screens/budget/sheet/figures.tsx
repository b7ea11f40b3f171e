import type { ReactElement, ReactNode } from 'react';
import { amountOf, isSome, toBudgetOf, totalsOf, usedShare } from '../../../books/budget/budget.ts';
import type { BudgetRow } from '../../../books/budget/budget.ts';
import { Money } from '../../../parts/money.tsx';
import { budgetTexts as t } from '../../../texts/en/budget.ts';
import type { PeriodViewProps } from './props.ts';

/** The sums of a period, the most important one first. */
export function Figures(
  props: PeriodViewProps & { readonly rows: readonly BudgetRow[] },
): ReactElement {
  const { rows, summary, settings, currency, period } = props;
  const outflow = summary.totals?.outflow;
  const uncategorized = amountOf(
    (outflow?.uncategorized ?? 0) + (outflow?.uncategorized_recurring ?? 0),
  );
  const spending = totalsOf(
    rows.filter(({ isIncome }) => !isIncome),
    uncategorized,
  );
  const income = totalsOf(rows.filter(({ isIncome }) => isIncome));
  const pool = settings.budget_rollover_left_to_budget ? poolBefore(summary, period.start) : null;
  const option = settings.budget_income_option;
  const toBudget = toBudgetOf({ option, income, spending, pool });
  const money = (amount: string): ReactElement => <Money amount={amount} currency={currency} />;
  const isOver = spending.left.startsWith('-');
  const share = Math.min(usedShare(spending) ?? 0, 1);
  return (
    <section className="budget-figures" aria-label={t.figures}>
      <Figure
        label={isOver ? t.overspent : t.left}
        look={isOver ? 'over' : ''}
        amount={money(isOver ? spending.left.slice(1) : spending.left)}
      >
        <span className={isOver ? 'used-bar over' : 'used-bar'} aria-hidden="true">
          <span style={{ inlineSize: `${share * 100}%` }} />
        </span>
        {t.spentOf} {money(spending.activity)} {t.of} {money(spending.budgeted)}
      </Figure>
      <Figure label={t.income} amount={money(income.activity)}>
        {isSome(income.expected) && (
          <>
            {t.columns.recurring}: {money(income.expected)}
          </>
        )}
      </Figure>
      <Figure
        label={toBudget.startsWith('-') ? t.overBudget : t.toBudget}
        amount={money(toBudget.replace('-', ''))}
      >
        {pool !== null && (
          <>
            {money(pool)} {t.pool}
          </>
        )}
      </Figure>
      <Figure label={t.stillComing} amount={money(remainingOf(rows))} />
    </section>
  );
}

function Figure(props: {
  readonly label: string;
  readonly amount: ReactNode;
  readonly look?: string;
  readonly children?: ReactNode;
}): ReactElement {
  const { label, amount, look = '', children } = props;
  return (
    <div className={`budget-figure ${look}`}>
      <h2>{label}</h2>
      <p className="figure-amount">{amount}</p>
      {children !== undefined && <p className="hint">{children}</p>}
    </div>
  );
}

/** What the periods before a day have left to budget. */
function poolBefore({ rollover_pool: pool }: PeriodViewProps['summary'], start: string): string {
  const last = pool?.all_adjustments.find(({ date }) => date < start);
  return last?.amount ?? '0.0000';
}

/** What recurring items will still take from the budgets. */
function remainingOf(rows: readonly BudgetRow[]): string {
  const spending = rows.filter(({ isIncome }) => !isIncome);
  return totalsOf(spending.map((row) => ({ ...row, expected: row.remaining }))).expected;
}
