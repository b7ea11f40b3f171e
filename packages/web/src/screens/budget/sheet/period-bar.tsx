import type { ReactElement } from 'react';
import { useLocation } from 'wouter';
import { nameOf, periodAt, periodBeside } from '../../../books/budget/budget-periods.ts';
import type { Period } from '@coffer/core/budget-periods';
import { Button } from '../../../parts/button.tsx';
import { budgetTexts as t } from '../../../texts/en/budget.ts';
import type { BudgetSettings } from './data.ts';

/** Shows the period some steps later or earlier, if there is one. */
export type Turn = (step: -1 | 1) => void;

/** Returns what shows another period, in the URL. */
export function useTurn(settings: BudgetSettings, period: Period): Turn {
  const [, go] = useLocation();
  return (step) => {
    const next = periodBeside(settings, period, step);
    if (next !== null) go(`/budget/${nameOf(next)}`, { replace: true });
  };
}

/** The buttons that show other periods. */
export function PeriodBar(props: {
  readonly settings: BudgetSettings;
  readonly period: Period;
  readonly today: string;
  readonly turn: Turn;
}): ReactElement {
  const { settings, period, today, turn } = props;
  const [, go] = useLocation();
  const current = periodAt(settings, '', today);
  const isCurrent = current.start === period.start;
  return (
    <div className="period-bar">
      <Button icon="chevron-left" aria-label={t.before} onClick={() => turn(-1)} />
      <Button disabled={isCurrent} onClick={() => go(`/budget/${nameOf(current)}`)}>
        {t.current}
      </Button>
      <Button icon="chevron-right" aria-label={t.after} onClick={() => turn(1)} />
    </div>
  );
}
