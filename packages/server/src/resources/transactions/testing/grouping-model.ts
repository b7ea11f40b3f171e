import fc from 'fast-check';

/** A transaction of the model. Amounts are in ten-thousandths. */
export interface ModelRow {
  readonly id: number;
  readonly amount: number;
  readonly toBase: number;
  readonly currency: 'usd' | 'eur';
  readonly hasAccount: boolean;
  readonly isPending: boolean;
  readonly isRecurring: boolean;
  readonly isGroup: boolean;
  readonly isSplit: boolean;
  readonly groupId: number | null;
  readonly splitId: number | null;
}

/** One action. Numbers choose among the transactions of the model and make values. */
export interface Action {
  readonly kind: 'insert' | 'group' | 'ungroup' | 'split' | 'unsplit' | 'delete';
  readonly picks: readonly number[];
  readonly seed: number;
}

export const actionsArbitrary: fc.Arbitrary<readonly Action[]> = fc.array(
  fc.record({
    kind: fc.constantFrom('insert', 'insert', 'group', 'ungroup', 'split', 'unsplit', 'delete'),
    picks: fc.array(fc.nat(30), { minLength: 2, maxLength: 4 }),
    seed: fc.nat(1000),
  }),
  { minLength: 3, maxLength: 14, size: 'max' },
);

/** What transactions of a book should be, by simple rules. */
export class GroupingModel {
  readonly rows = new Map<number, ModelRow>();

  /** The ids that a plain list shows, ascending. */
  get listed(): number[] {
    const rows = [...this.rows.values()];
    return rows
      .filter((row) => !row.isPending && !row.isSplit && row.groupId === null)
      .map(({ id }) => id)
      .toSorted((a, b) => a - b);
  }

  /** The balance of the manual account, an asset: less what was inserted into it and is left. */
  get balance(): number {
    const counted = [...this.rows.values()].filter((row) => row.hasAccount && row.splitId === null);
    return counted.reduce((balance, { amount }) => balance - amount, 0);
  }

  /** Returns the picked rows; repeated picks are repeated. */
  picked(picks: readonly number[], of = [...this.rows.values()]): ModelRow[] {
    return of.length === 0 ? [] : picks.map((pick) => of[pick % of.length]!);
  }

  add(row: Partial<ModelRow> & Pick<ModelRow, 'id' | 'amount' | 'toBase' | 'currency'>): void {
    const flags = { hasAccount: false, isPending: false, isRecurring: false };
    const parents = { isGroup: false, isSplit: false, groupId: null, splitId: null };
    this.rows.set(row.id, { ...flags, ...parents, ...row });
  }

  canGroup(rows: readonly ModelRow[]): boolean {
    return (
      new Set(rows).size === rows.length && rows.every((row) => isPlain(row) && !row.isRecurring)
    );
  }

  group(id: number, rows: readonly ModelRow[]): void {
    const currencies = new Set(rows.map(({ currency }) => currency));
    const toBase = total(rows.map((row) => row.toBase));
    const amount = total(rows.map((row) => row.amount));
    const [currency = 'usd'] = currencies.size > 1 ? ['usd' as const] : currencies;
    this.add({
      id,
      amount: currencies.size > 1 ? toBase : amount,
      toBase,
      currency,
      isGroup: true,
    });
    for (const row of rows) this.rows.set(row.id, { ...row, groupId: id });
  }

  ungroup(id: number): void {
    this.rows.delete(id);
    for (const row of this.rows.values())
      if (row.groupId === id) this.rows.set(row.id, { ...row, groupId: null });
  }

  unsplit(id: number): void {
    for (const row of this.rows.values()) if (row.splitId === id) this.rows.delete(row.id);
    this.rows.set(id, { ...this.rows.get(id)!, isSplit: false });
  }
}

/** Whether a row is neither split nor grouped. */
export function isPlain(row: ModelRow): boolean {
  return !row.isGroup && !row.isSplit && row.groupId === null && row.splitId === null;
}

export function total(amounts: readonly number[]): number {
  return amounts.reduce((sum, each) => sum + each, 0);
}
