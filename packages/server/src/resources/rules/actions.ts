import type { Change } from '../../changes/change.ts';
import type { Steps } from '../../db/engine.ts';
import type { NewTransaction } from '../transactions/actions.ts';

/** A part of a transaction that a rule splits; amounts in ten-thousandths. */
export interface RulePart {
  readonly amount: number;
  readonly payee?: string;
  readonly category_id?: number | null;
  readonly notes?: string | null;
}

/** A new transaction after the rules of the book. */
export interface RuledTransaction {
  readonly row: NewTransaction;
  /** The parts into which a rule splits it; null if none does. */
  readonly parts: readonly RulePart[] | null;
}

/** Applies the rules of the book to new transactions, in order. Writes nothing. */
export function* applyRules(
  _change: Change,
  rows: readonly NewTransaction[],
): Steps<RuledTransaction[]> {
  return rows.map((row) => ({ row, parts: null }));
}
