/** What accounts are, in the order of charts. */
export const wealthKinds = ['cash', 'investments', 'crypto', 'property', 'debts'] as const;

/** The kind of an account. Debts are subtracted. */
export type WealthKind = (typeof wealthKinds)[number];

/** The balances of one account. */
export interface BalanceSeries {
  readonly key: string;
  readonly kind: WealthKind;
  /** False for an account that was closed or deleted: it has nothing after its last balance. */
  readonly isOpen: boolean;
  /** Ten-thousandths of the primary currency by month, oldest first; for debts what is owed is positive. */
  readonly balances: readonly { readonly month: string; readonly units: bigint }[];
}

/** What the book is worth at the end of a month; now, for the current one. Ten-thousandths. */
export interface MonthWorth {
  readonly month: string;
  readonly net: bigint;
  readonly assets: bigint;
  /** What is owed, positive. */
  readonly debts: bigint;
  readonly byKind: Readonly<Record<WealthKind, bigint>>;
}

const kinds: Readonly<Record<string, WealthKind>> = {
  cash: 'cash',
  depository: 'cash',
  credit: 'debts',
  loan: 'debts',
  'other liability': 'debts',
  cryptocurrency: 'crypto',
  investment: 'investments',
  brokerage: 'investments',
  'employee compensation': 'investments',
};

/** Returns the kind of an account by its `type`. What is not known is property. */
export function wealthKindOf(type: string | null): WealthKind {
  return kinds[type ?? ''] ?? 'property';
}

/**
 * Returns what the book is worth in each month. A month without a balance of an open account has the one before,
 * because a balance holds until the next is known; before its first balance an account is worth nothing.
 */
export function netWorth(
  series: readonly BalanceSeries[],
  months: readonly string[],
): MonthWorth[] {
  const worth = months.map(() => ({
    cash: 0n,
    investments: 0n,
    crypto: 0n,
    property: 0n,
    debts: 0n,
  }));
  for (const { kind, isOpen, balances } of series) {
    const end = isOpen ? '9999-12' : (balances.at(-1)?.month ?? '');
    let at = -1;
    months.forEach((month, place) => {
      while (at + 1 < balances.length && balances[at + 1]!.month <= month) at += 1;
      if (at >= 0 && month <= end) worth[place]![kind] += balances[at]!.units;
    });
  }
  return worth.map((byKind, place) => {
    const { debts } = byKind;
    const assets = byKind.cash + byKind.investments + byKind.crypto + byKind.property;
    return { month: months[place]!, net: assets - debts, assets, debts, byKind };
  });
}
