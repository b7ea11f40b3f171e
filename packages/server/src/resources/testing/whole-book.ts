import fc from 'fast-check';
import { divideHalfToEven } from '@coffer/core/money';
import type { DayRates } from '../currencies/actions.ts';

/** A transaction of the model. Amounts are in ten-thousandths. */
export interface ModelRow {
  readonly id: number;
  readonly date: string;
  readonly amount: number;
  readonly currency: ModelCurrency;
  readonly toBase: number;
  /** The place of its category in the book, or null. */
  readonly category: number | null;
  readonly account: ModelAccount | null;
  readonly isGroup: boolean;
  readonly isSplit: boolean;
  readonly groupId: number | null;
  readonly splitId: number | null;
}

type ModelCurrency = 'usd' | 'eur' | 'gbp';
type ModelAccount = 'cash' | 'card';

export type ModelValues = Pick<ModelRow, 'date' | 'amount' | 'currency' | 'category' | 'account'>;

/** One action. Picks choose among the transactions of the model. */
export type Action =
  | { readonly kind: 'insert'; readonly rows: readonly ModelValues[] }
  | { readonly kind: 'update'; readonly pick: number; readonly values: Partial<ModelValues> }
  | { readonly kind: 'delete' | 'group' | 'ungroup' | 'unsplit'; readonly picks: readonly number[] }
  | { readonly kind: 'split'; readonly pick: number; readonly firsts: readonly number[] }
  | { readonly kind: 'budget'; readonly category: number; readonly amount: number };

export const accountsOfModel = {
  cash: { type: 'cash', currency: 'eur' },
  card: { type: 'credit', currency: 'usd' },
} as const;

/** What an euro was worth, in hundredths, from a date on. Pounds have no rate before February. */
const perEuro: Readonly<
  Record<ModelCurrency, readonly (readonly [since: string, hundredths: bigint])[]>
> = {
  eur: [['2020-01-01', 100n]],
  usd: [
    ['2026-01-01', 110n],
    ['2026-02-01', 123n],
  ],
  gbp: [['2026-02-01', 87n]],
};

export const ratesOfModel: DayRates = new Map(
  (['usd', 'gbp'] as const).map((code) => [
    code,
    new Map(perEuro[code].map(([since, rate]) => [since, `${rate / 100n}.${rate % 100n}`])),
  ]),
);

export const periodOfModel = { start: '2026-01-01', end: '2026-01-31' } as const;

const values = {
  date: fc.constantFrom('2026-01-01', '2026-01-31', '2026-02-01', '2026-02-03'),
  amount: fc.oneof(fc.integer({ min: -5_000_000, max: 5_000_000 }), fc.constantFrom(0, 1, -1)),
  currency: fc.constantFrom<ModelCurrency[]>('usd', 'eur', 'gbp'),
  category: fc.option(fc.nat(2)),
  account: fc.option(fc.constantFrom<ModelAccount[]>('cash', 'card'), { freq: 2 }),
};
const pick = fc.nat(30);
const picks = fc.uniqueArray(pick, { minLength: 2, maxLength: 4 });

/** Actions in their order. There are few values, so that actions affect each other. */
export const actionsArbitrary: fc.Arbitrary<readonly Action[]> = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constant('insert' as const),
      rows: fc.array(fc.record(values), { minLength: 1, maxLength: 5 }),
    }),
    fc.record({
      kind: fc.constant('update' as const),
      ...{ pick, values: fc.record(values, { requiredKeys: [] }) },
    }),
    fc.record({
      kind: fc.constantFrom(
        'delete' as const,
        'group' as const,
        'ungroup' as const,
        'unsplit' as const,
      ),
      picks,
    }),
    fc.record({
      kind: fc.constant('split' as const),
      firsts: fc.array(values.amount, { minLength: 1, maxLength: 3 }),
      pick,
    }),
    fc.record({ kind: fc.constant('budget' as const), category: fc.nat(2), amount: values.amount }),
  ),
  { minLength: 4, maxLength: 16, size: 'max' },
);

/** What the records of a book should be, by simple rules. Its primary currency is the dollar. */
export class WholeBookModel {
  readonly rows = new Map<number, ModelRow>();
  /** Budgets of January by the place of their category. */
  readonly budgets = new Map<number, number>();

  get listed(): number[] {
    const rows = [...this.rows.values()].filter((row) => !row.isSplit && row.groupId === null);
    return rows.map(({ id }) => id).toSorted((a, b) => a - b);
  }

  get plain(): ModelRow[] {
    return [...this.rows.values()].filter(isPlain);
  }

  insert(id: number, given: ModelValues): void {
    const parents = { isGroup: false, isSplit: false, groupId: null, splitId: null };
    this.rows.set(id, { id, ...given, ...parents, toBase: baseOf(given) });
  }

  update(row: ModelRow, given: Partial<ModelValues>): void {
    const after = { ...row, ...given };
    this.rows.set(row.id, { ...after, toBase: baseOf(after) });
  }

  group(id: number, date: string, members: readonly ModelRow[]): void {
    const toBase = total(members.map((row) => row.toBase));
    const [currency = 'usd', ...others] = new Set(members.map((row) => row.currency));
    const [category = null, ...more] = new Set(members.map((row) => row.category));
    const money =
      others.length > 0
        ? { currency: 'usd' as const, amount: toBase }
        : { currency, amount: total(members.map(({ amount }) => amount)) };
    this.rows.set(id, {
      ...{ id, date, toBase, ...money, category: more.length > 0 ? null : category },
      ...{ account: null, isGroup: true, isSplit: false, groupId: null, splitId: null },
    });
    for (const row of members) this.rows.set(row.id, { ...row, groupId: id });
  }

  ungroup({ id }: ModelRow): void {
    this.rows.delete(id);
    for (const row of this.rows.values())
      if (row.groupId === id) this.rows.set(row.id, { ...row, groupId: null });
  }

  split(row: ModelRow, parts: readonly { id: number; amount: number }[]): void {
    const shares = parts.slice(0, -1).map(({ amount }) => shareOf(row, amount));
    shares.push(row.toBase - total(shares));
    this.rows.set(row.id, { ...row, isSplit: true });
    for (const [at, { id, amount }] of parts.entries())
      this.rows.set(id, { ...row, id, amount, toBase: shares[at]!, splitId: row.id });
  }

  unsplit({ id }: ModelRow): void {
    for (const row of this.rows.values()) if (row.splitId === id) this.rows.delete(row.id);
    this.rows.set(id, { ...this.rows.get(id)!, isSplit: false });
  }

  balance(name: ModelAccount, until = '9999-12-31'): number {
    const { type, currency } = accountsOfModel[name];
    const rows = [...this.rows.values()].filter(
      (row) => row.account === name && row.splitId === null && row.date <= until,
    );
    const spent = total(rows.map((row) => converted(row.amount, row.currency, currency, row.date)));
    return type === 'credit' ? spent : 0 - spent;
  }

  activity(category: number): number {
    const counted = [...this.rows.values()].filter(
      (row) => !row.isSplit && row.groupId === null && row.category === category,
    );
    const { start, end } = periodOfModel;
    const inPeriod = counted.filter(({ date }) => start <= date && date <= end);
    return total(inPeriod.map((row) => row.toBase));
  }
}

function isPlain(row: ModelRow): boolean {
  return !row.isGroup && !row.isSplit && row.groupId === null && row.splitId === null;
}

function baseOf({ amount, currency, date }: ModelValues): number {
  return converted(amount, currency, 'usd', date);
}

/** Converts an amount, half to even; 0 without a rate. */
function converted(amount: number, from: ModelCurrency, to: ModelCurrency, date: string): number {
  if (from === to) return amount;
  const rateOf = (code: ModelCurrency) => perEuro[code].findLast(([since]) => since <= date)?.[1];
  const [one, other] = [rateOf(from), rateOf(to)];
  if (one === undefined || other === undefined) return 0;
  return Number(divideHalfToEven(BigInt(amount) * other, one));
}

/** The value of a part: in proportion to its amount, or at the rate of the date if the whole is zero. */
function shareOf({ amount: whole, toBase, currency, date }: ModelRow, amount: number): number {
  if (whole === 0) return converted(amount, currency, 'usd', date);
  const sign = whole < 0 ? -1n : 1n;
  return Number(divideHalfToEven(BigInt(amount) * BigInt(toBase) * sign, BigInt(whole) * sign));
}

function total(amounts: readonly number[]): number {
  return amounts.reduce((sum, each) => sum + each, 0);
}
