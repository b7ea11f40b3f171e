import { useMutationState } from '@tanstack/react-query';
import { useState } from 'react';
import { describeError } from '../../api/errors.ts';
import type { Period } from '@coffer/core/budget-periods';
import { averageOf, type BudgetRow, type Budgeted } from '../../books/budget/budget.ts';
import { formatMoney } from '../../books/formats/money.ts';
import { showToast } from '../../parts/overlays/toasts.tsx';
import { usePreferences } from '../../parts/preferences.ts';
import { budgetTexts as t } from '../../texts/en/budget.ts';
import { useOwnChanges } from '../flow/own-changes.ts';
import { useSaveBudget, type BudgetWrite } from './data.ts';

/** Where a budget can be copied from. */
export type Source = 'previous' | 'average';

/** What can be done in the sheet, and how far it is. */
export interface SheetActions {
  /** The row that has the focus, or had it last. */
  readonly activeId: number | null;
  readonly activate: (id: number) => void;
  /** The row that is edited, with the text to begin with. */
  readonly edited: { readonly id: number; readonly text: string | null } | null;
  readonly edit: (id: number | null, text?: string | null) => void;
  readonly save: (row: BudgetRow, amount: string | null) => void;
  readonly copy: (row: BudgetRow, source: Source) => void;
  /** Copies into every row without a budget. */
  readonly fill: (source: Source) => Promise<void>;
  readonly undo: () => Promise<void>;
  readonly saving: ReadonlySet<number>;
  /** Why the server has refused the last budget of a row. */
  readonly refused: ReadonlyMap<number, string>;
}

/** The sheet that actions are about. */
interface ActedSheet {
  readonly period: Period;
  readonly currency: string;
  readonly rows: readonly BudgetRow[];
}

/** Returns what a row would copy; null when there is nothing. */
export function sourceOf(row: BudgetRow, source: Source, currency: string): Budgeted | null {
  if (source === 'previous') return row.earlier.at(-1)?.budget ?? null;
  const amount = averageOf(row);
  return amount === null ? null : { amount, currency };
}

/** The actions of a sheet. */
export function useSheetActions({ period, currency, rows }: ActedSheet): SheetActions {
  const [activeId, activate] = useState<number | null>(null);
  const [edited, setEdited] = useState<SheetActions['edited']>(null);
  const { refused, write } = useWrites({ period, currency }, (id, text) => setEdited({ id, text }));
  const saving = useMutationState({
    filters: { mutationKey: ['budgets'], status: 'pending' },
    select: ({ state }) => (state.variables as BudgetWrite).categoryId,
  });
  const { change, undo } = useOwnChanges();
  const store = async (row: BudgetRow, budget: Budgeted | null): Promise<void> => {
    if (!row.canBudget || isSame(budget, row.own)) return;
    const text = budget === null ? t.removed(row.name) : t.saved(row.name);
    if (await write(row, budget)) await change(stored, text);
  };
  const copy = (row: BudgetRow, source: Source): void => {
    const budget = sourceOf(row, source, currency);
    if (budget === null) showToast({ text: t.nothingToFill });
    else void store(row, budget);
  };
  const fill = async (source: Source): Promise<void> => {
    const writes = rows.flatMap((row) => {
      const budget = row.canBudget && row.own === null ? sourceOf(row, source, currency) : null;
      // The average of a group would count its members twice.
      return budget === null || (source === 'average' && row.isGroup) ? [] : [write(row, budget)];
    });
    const count = (await Promise.all(writes)).filter(Boolean).length;
    if (count === 0) showToast({ text: t.nothingToFill });
    else await change(stored, t.filled(count), count);
  };
  const save = (row: BudgetRow, amount: string | null): void =>
    void store(row, amount === null ? null : { amount, currency: row.own?.currency ?? currency });
  const edit: SheetActions['edit'] = (id, text = null) =>
    setEdited(id === null ? null : { id, text });
  return {
    activeId,
    activate,
    edited,
    edit,
    save,
    copy,
    fill,
    undo,
    refused,
    saving: new Set(saving),
  };
}

/** Stores budgets, and keeps what was refused. */
function useWrites(
  { period, currency }: Omit<ActedSheet, 'rows'>,
  editAgain: (id: number, text: string) => void,
) {
  const { locale } = usePreferences();
  const { mutateAsync } = useSaveBudget(period, currency);
  const [refused, setRefused] = useState<ReadonlyMap<number, string>>(new Map());
  const write = async (row: BudgetRow, budget: Budgeted | null): Promise<boolean> => {
    setRefused((map) => new Map([...map].filter(([id]) => id !== row.id)));
    try {
      await mutateAsync({ categoryId: row.id, budget });
      return true;
    } catch (error) {
      const reason = describeError(error);
      setRefused((map) => new Map([...map, [row.id, reason]]));
      const run = (): void => editAgain(row.id, budget === null ? '' : typedOf(budget, locale));
      showToast({
        text: t.refused(row.name, reason),
        look: 'problem',
        action: { label: t.editAgain, run },
      });
      return false;
    }
  };
  return { refused, write };
}

/** What a change does that was stored already, because it is shown before that. */
const stored = (): Promise<void> => Promise.resolve();

/** An amount as a person would type it. */
export function typedOf({ amount, currency }: Budgeted, locale: string): string {
  return formatMoney(amount, { locale, currency, hasCurrency: false });
}

function isSame(one: Budgeted | null, other: Budgeted | null): boolean {
  return one?.amount === other?.amount && one?.currency === other?.currency;
}
