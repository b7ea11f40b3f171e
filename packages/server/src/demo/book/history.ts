import { dayOn, monthNames } from './calendar.ts';
import type { DemoAsset, DemoBook, DemoHistory, DemoTransaction } from './demo-book.ts';
import { openedIn } from './household.ts';
import { toUsd } from './money.ts';

/** Money out raises what is owed on these accounts. */
const liabilities = ['credit', 'loan'];

/** The months of the book's history. More would make it slow to fill. */
const historyMonths = monthNames.slice(-60);

/** Months with a known balance of crypto assets. */
const cryptoMonths = monthNames.slice(-24);

type Accounts = Pick<DemoBook, 'manualAccounts' | 'plaidAccounts'>;
type Crypto = Pick<Required<DemoBook>, 'manualCrypto' | 'syncedCrypto'>;
type Account = DemoBook['manualAccounts'][number];

/**
 * Returns the balances at the ends of months in which an account was open, by account and month. The balance of the
 * last month is the present one, and each one before it is without the transactions of the later months.
 */
export function historyOf(
  { manualAccounts, plaidAccounts }: Accounts,
  { manualCrypto, syncedCrypto }: Crypto,
  transactions: readonly DemoTransaction[],
  months = historyMonths,
): DemoHistory[] {
  const sums = sumsByMonth(transactions);
  const entriesOf = (kind: 'manual' | 'plaid') => (each: Account, account: number) =>
    balancesOf(each, sums.get(`${kind} ${account}`), months).map((entry) => ({
      kind,
      account,
      ...entry,
    }));
  return [
    ...manualAccounts.flatMap(entriesOf('manual')),
    ...plaidAccounts.flatMap(entriesOf('plaid')),
    ...manualCrypto.flatMap((asset, account) =>
      valuesOf(asset).map((entry) => ({
        kind: 'crypto_manual' as const,
        account,
        symbol: null,
        ...entry,
      })),
    ),
    ...syncedCrypto.flatMap(({ balances }, account) =>
      balances.flatMap((asset) =>
        valuesOf(asset).map((entry) => ({
          kind: 'crypto_synced' as const,
          account,
          symbol: asset.symbol,
          ...entry,
        })),
      ),
    ),
  ];
}

/** The totals of each month by account, debit positive. All rows of an account count in its currency. */
function sumsByMonth(transactions: readonly DemoTransaction[]): Map<string, Map<string, number>> {
  const sums = new Map<string, Map<string, number>>();
  for (const { manualAccount, plaidAccount, splitParent, date, ...row } of transactions) {
    if (splitParent !== null || (manualAccount === null && plaidAccount === null)) continue;
    const key = manualAccount === null ? `plaid ${plaidAccount}` : `manual ${manualAccount}`;
    const ofAccount = sums.get(key) ?? new Map<string, number>();
    sums.set(key, ofAccount);
    const month = date.slice(0, 7);
    const amount = manualAccount === null ? row.toBase : row.amount;
    ofAccount.set(month, (ofAccount.get(month) ?? 0) + amount);
  }
  return sums;
}

function balancesOf(
  { name, type, currency, balance: last, closedOn = '9999' }: Account,
  sums: ReadonlyMap<string, number> | undefined,
  months: readonly string[],
) {
  const [first, end] = [openedIn.get(name) ?? '', closedOn.slice(0, 7)];
  const isKnown = (month: string) => month >= first && month <= end && months.includes(month);
  const sign = liabilities.includes(type) ? 1 : -1;
  let balance = last;
  const entries = [];
  for (const month of monthNames.toReversed()) {
    const toBase = toUsd(balance, currency, dayOn(`${month}-31`));
    const known = { symbol: null, month, balance, currency, toBase, quantity: null };
    if (isKnown(month)) entries.push(known);
    balance -= sign * (sums?.get(month) ?? 0);
  }
  return entries.reverse();
}

/** The value follows an invented price, which rises slowly and varies from month to month. */
function valuesOf({ quantity, toBase }: DemoAsset) {
  return cryptoMonths.map((month, at) => {
    const later = cryptoMonths.length - 1 - at;
    const thousandths = 1000 - 18 * later + (later % 3) * 25;
    const balance = Math.round((toBase * thousandths) / 100_000) * 100;
    return { month, balance, currency: 'usd', toBase: balance, quantity };
  });
}
