import { negate, sumOf } from '../formats/money.ts';

/** Where a balance comes from. */
export type HoldingKind = 'manual' | 'plaid' | 'crypto_manual' | 'crypto_synced';

/** An account of any kind, as a list shows it. */
export interface Holding {
  /** Unique among all kinds. */
  readonly key: string;
  readonly kind: HoldingKind;
  readonly id: number;
  readonly name: string;
  readonly institution: string;
  readonly type: string;
  /** A decimal in `currency`; what is owed of debts. */
  readonly balance: string;
  /** The code of a currency, or the symbol of an asset. */
  readonly currency: string;
  /** The value in the currency of the book; null without a rate. */
  readonly base: string | null;
  /** When the balance was valid (ISO 8601); null when unknown. */
  readonly asOf: string | null;
  readonly isClosed: boolean;
  /** What is wrong with the connection; null when nothing is. */
  readonly trouble: string | null;
}

/** The accounts of a type, and their value; debts count negative. */
export interface HoldingGroup {
  readonly type: string;
  readonly holdings: readonly Holding[];
  readonly total: string;
}

const debts: readonly string[] = ['credit', 'loan', 'other liability'];
const typeOrder = [
  'cash',
  'depository',
  'investment',
  'brokerage',
  'employee compensation',
  'cryptocurrency',
  'real estate',
  'vehicle',
  'other asset',
  'credit',
  'loan',
  'other liability',
];
const decimals = new Intl.NumberFormat('en', { useGrouping: false, maximumFractionDigits: 2 });

/** Returns a converted amount of the API as a decimal text: a rate is not more exact than hundredths. */
export function decimalOf(value: number): string {
  return decimals.format(value);
}

/** Whether the balance of a type is what is owed. */
export function isDebt(type: string): boolean {
  return debts.includes(type);
}

/** Returns an amount as it counts for the net worth. */
export function countedAs(type: string, amount: string): string {
  return isDebt(type) ? negate(amount) : amount;
}

/** Groups accounts by type: what is owned first, then debts; closed accounts last. */
export function groupHoldings(holdings: readonly Holding[]): HoldingGroup[] {
  const types = [...new Set(holdings.map(({ type }) => type))];
  return types
    .toSorted((one, other) => placeOf(one) - placeOf(other) || one.localeCompare(other))
    .map((type) => {
      const own = holdings.filter((each) => each.type === type).toSorted(compare);
      return { type, holdings: own, total: netWorthOf(own) };
    });
}

/** Returns the value of accounts in the currency of the book; debts count negative. */
export function netWorthOf(holdings: readonly Holding[]): string {
  return sumOf(holdings.map(({ type, base }) => countedAs(type, base ?? '0')));
}

function placeOf(type: string): number {
  const place = typeOrder.indexOf(type);
  return place === -1 ? typeOrder.length : place;
}

function compare(one: Holding, other: Holding): number {
  return Number(one.isClosed) - Number(other.isClosed) || one.name.localeCompare(other.name);
}
