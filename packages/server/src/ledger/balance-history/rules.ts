import { daysIn, monthNumber, monthOfNumber } from '@coffer/core/dates';
import { formatAmount, maxAmount } from '@coffer/core/money';
import { formatQuantity, parseQuantity } from '@coffer/core/quantities';
import { quote } from '@coffer/core/text';
import type { Row } from '../../db/table.ts';
import type { balanceHistory, deletedAccounts } from '../../db/tables/tables.ts';
import { parseAmountInput } from '../../operations/amounts.ts';
import type { CurrencyCode } from '../../operations/currencies.ts';
import type { ErrorDetail } from '../../operations/problem.ts';
import { wireNumber } from '../../operations/schema.ts';
import { monthPattern } from './schema.ts';
import type {
  AccountHistory,
  HistoricalBalance,
  BalanceHistoryEntryUpdate,
  DeletedAccountDetails,
  MonthQuery,
} from './schema.ts';
import type { AccountKind } from '../accounts/balance-source.ts';

export type WireSource = AccountHistory['source'];

const month = new RegExp(monthPattern);

/** Returns the last day of a month, `YYYY-MM`. */
export function lastDayOf(month: string): string {
  const [year, number] = month.split('-').map(Number);
  return `${month}-${daysIn(year!, number!)}`;
}

/** Returns the month before a month. */
export function monthBefore(month: string): string {
  return monthOfNumber(monthNumber(month) - 1);
}

/** Whether an account existed in a month, and was not closed before. */
export function isOpenIn(
  month: string,
  { openedOn, closedOn }: { readonly openedOn: string; readonly closedOn: string | null },
): boolean {
  return openedOn.slice(0, 7) <= month && (closedOn === null || closedOn.slice(0, 7) >= month);
}

/** Returns an existing account as in a response. */
export function sourceToWire(kind: AccountKind, id: number, symbol: string | null): WireSource {
  switch (kind) {
    case 'manual':
      return { type: kind, manual_account_id: id };
    case 'plaid':
      return { type: kind, plaid_account_id: id };
    case 'crypto_manual':
      return { type: kind, crypto_manual_id: id, symbol };
    case 'crypto_synced':
      return { type: kind, crypto_synced_id: id, symbol: symbol! };
  }
}

/** Returns a deleted account as in a response. */
export function deletedToWire(row: Row<typeof deletedAccounts>): WireSource {
  return {
    type: 'deleted',
    deleted_account_id: row.id,
    ...detailsToWire(row),
    symbol: row.symbol,
  };
}

/** Returns what is known of a deleted account, as in a response. */
export function detailsToWire(row: Row<typeof deletedAccounts>): DeletedAccountDetails {
  const { name, institution_name, display_name, account_type, subtype, mask } = row;
  return { name, institution_name, display_name, account_type, subtype, mask };
}

/** Returns an entry as in a response. */
export function entryToWire(row: Row<typeof balanceHistory>): HistoricalBalance {
  return {
    type: 'historical',
    id: row.id,
    month: row.month,
    balance: formatAmount(row.balance),
    currency: row.currency as CurrencyCode,
    to_base: wireNumber(row.to_base),
    crypto_balance: row.crypto_balance,
  };
}

/** Returns the problems of the months of a list: one without the other, in the wrong order, or in the future. */
export function rangeProblems(
  { start_month: start, end_month: end }: MonthQuery,
  thisMonth: string,
): ErrorDetail[] {
  if (start === undefined && end === undefined) return [];
  if (start === undefined || end === undefined) {
    const errMsg = 'Query parameters start_month and end_month must be sent together or not at all';
    return [{ errMsg, instancePath: '/query' }];
  }
  const problems = Object.entries({ start_month: start, end_month: end })
    .filter(([, sent]) => sent > thisMonth)
    .map(([name, sent]) => ({
      errMsg: `Query parameter ${name} must not be in the future: it is "${sent}", and this month is "${thisMonth}"`,
      instancePath: `/query/${name}`,
    }));
  if (start <= end) return problems;
  const errMsg = `Query parameter start_month must not be later than end_month "${end}", not "${start}"`;
  return [...problems, { errMsg, instancePath: '/query/start_month' }];
}

/** What new entries may have. */
export interface EntryRules {
  readonly type: WireSource['type'];
  /** Of the account, in lower case; null if any is tolerated. */
  readonly symbol: string | null;
  readonly thisMonth: string;
}

/** Returns the problems of entries of a request, each with the index of its entry. */
export function entryProblems(
  entries: readonly BalanceHistoryEntryUpdate[],
  rules: EntryRules,
): ErrorDetail[] {
  const months = new Set<string>();
  return entries.flatMap((entry, index) => {
    const found = problemsOf(entry, rules, months.has(entry.month));
    months.add(entry.month);
    return found.map(([name, rule]) => ({
      errMsg: `Body property balances/${index}/${name} ${rule}`,
      instancePath: `/body/balances/${index}/${name}`,
      request_balances_index: index,
      invalid_property: name,
    }));
  });
}

type EntryProblem = readonly [name: keyof BalanceHistoryEntryUpdate, rule: string];

function problemsOf(
  entry: BalanceHistoryEntryUpdate,
  { type, symbol: own, thisMonth }: EntryRules,
  isRepeated: boolean,
): EntryProblem[] {
  const { balance, symbol = null, crypto_balance: quantity = null } = entry;
  const problems: EntryProblem[] = [];
  const sent = quote(entry.month);
  if (!month.test(entry.month)) problems.push(['month', `must be a month YYYY-MM, not ${sent}`]);
  else if (entry.month >= thisMonth)
    problems.push(['month', `must be before this month "${thisMonth}", not ${sent}`]);
  else if (isRepeated) problems.push(['month', `must be different in each entry, not ${sent}`]);
  if (parseAmountInput(balance) === null)
    problems.push([
      'balance',
      `must be at most ${formatAmount(maxAmount)}, not ${quote(String(balance))}`,
    ]);
  const isCrypto = type !== 'manual' && type !== 'plaid';
  if (!isCrypto && symbol !== null)
    problems.push(['symbol', `must not be sent for an account of the type "${type}"`]);
  if (isCrypto && symbol !== null && own !== null && symbol.toLowerCase() !== own)
    problems.push(['symbol', `must be that of the account, "${own}", not ${quote(symbol)}`]);
  if (!isCrypto && quantity !== null)
    problems.push(['crypto_balance', `must not be sent for an account of the type "${type}"`]);
  return problems;
}

/** Returns a quantity with 18 decimals. The text has passed the schema. */
export function quantityOf(text: string): string {
  const size = parseQuantity(text.replace('-', ''))!;
  return `${text.startsWith('-') && size > 0n ? '-' : ''}${formatQuantity(size)}`;
}

/** Returns the problem of an update of a deleted account without any property. */
export function emptyDetailsProblems(body: object): ErrorDetail[] {
  if (Object.keys(body).length > 0) return [];
  const errMsg =
    'The body must include at least one of: name, institution_name, display_name, account_type, subtype, mask';
  return [{ errMsg, instancePath: '/body' }];
}
