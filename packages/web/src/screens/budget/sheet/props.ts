import type { KeyboardEvent } from 'react';
import type { BudgetCategory, BudgetRow, BudgetTotals } from '../../../books/budget/budget.ts';
import type { Period } from '@coffer/core/budget-periods';
import type { CellPlace } from '../../../books/budget/sheet.ts';
import type { BudgetSettings, BudgetSummary } from './data.ts';
import type { Turn } from './period-bar.tsx';
import type { SheetActions } from './sheet-actions.ts';

/** A period of the budget with all that it shows. */
export interface PeriodViewProps {
  readonly settings: BudgetSettings;
  readonly period: Period;
  readonly today: string;
  /** The primary currency of the book. */
  readonly currency: string;
  /** Whether the summary is still that of another period. */
  readonly isStale: boolean;
  readonly categories: readonly BudgetCategory[];
  readonly summary: BudgetSummary;
}

/** The sheet of a period. */
export interface SheetProps {
  readonly rows: readonly BudgetRow[];
  readonly period: Period;
  readonly currency: string;
  /** What was spent without a category. */
  readonly uncategorized: string;
  readonly actions: SheetActions;
  readonly turn: Turn;
}

/** The columns that can have the focus: the budget, and the activity. */
export const focusColumns = 2;

/** Which cell of the sheet has the focus, and what keys do. */
export interface SheetFocus {
  /** The cell to which Tab leads. */
  readonly place: CellPlace;
  readonly isAt: (rowId: number, column: number) => boolean;
  readonly at: (rowId: number, column: number) => void;
  readonly press: (event: KeyboardEvent) => void;
  /** Moves the focus from an editor some rows on. */
  readonly moveFrom: (rowId: number, rows: number) => void;
  /** Gives the focus back to the cell, if nothing else has taken it. */
  readonly restore: () => void;
}

/** A part of the sheet. */
export interface SectionProps extends SheetProps {
  readonly kind: 'income' | 'spending';
  readonly focus: SheetFocus;
  readonly totals: BudgetTotals;
}

/** A line of the sheet. */
export interface LineProps extends SectionProps {
  readonly row: BudgetRow;
}
