import { isCalendarDate } from '@coffer/core/dates';
import { parseAmount } from '@coffer/core/money';
import { listAccounts } from '@coffer/server/src/ledger/accounts/actions.ts';
import { listCategories } from '@coffer/server/src/ledger/categories/actions.ts';
import type { Book } from '@coffer/server/src/operations/caller.ts';
import type { Engine } from '@coffer/server/src/db/engine.ts';
import type {
  RecurringItemDetails,
  RecurringItemUpdate,
} from '@coffer/server/src/ledger/recurring/schema.ts';
import type { Command } from 'commander';
import { choose } from '../choose.ts';
import { Misuse } from '../../terminal/failure.ts';
import { readCurrency } from '../options.ts';
import { quote } from '../../terminal/format.ts';

/** The options that describe a recurring item. */
export interface ItemOptions {
  readonly payee?: string;
  readonly amount?: string;
  readonly tolerance?: string;
  readonly currency?: string;
  readonly every?: string;
  readonly anchor?: string;
  readonly from?: string;
  readonly until?: string;
  readonly account?: string;
  readonly description?: string;
  readonly showPayee?: string;
  readonly showNotes?: string;
  readonly showCategory?: string;
}

type Criteria = NonNullable<RecurringItemUpdate['transaction_criteria']>;

/** Adds the options that describe a recurring item. An empty value removes an optional one. */
export function addItemOptions(command: Command): Command {
  return command
    .option('--amount <amount>', 'expected amount; money out is positive')
    .option('--tolerance <amount>', 'largest difference from the amount')
    .option('--currency <code>', 'currency of the amount')
    .option('--every <period>', 'such as month, 2weeks or year')
    .option('--anchor <date>', 'an expected date, from which the others are counted')
    .option('--from <date>', 'first day on which transactions match')
    .option('--until <date>', 'last day on which transactions match')
    .option('--account <account>', 'id or name of the manual account of the transactions')
    .option('--description <text>', 'description of the item')
    .option('--show-payee <payee>', 'payee that linked transactions show')
    .option('--show-notes <notes>', 'notes that linked transactions show')
    .option('--show-category <category>', 'id or name of the category that they show');
}

/**
 * Reads the options of an item into a body of the API, on top of the item `before`. Throws {@link Misuse} for values
 * that are not valid, and a Failure for an unknown account or category.
 */
export async function readItem(
  options: ItemOptions,
  before: RecurringItemDetails | null,
  database: Engine,
  book: Book,
): Promise<RecurringItemUpdate> {
  const accountId = await accountOf(options.account, database, book);
  const criteria = criteriaOf(options, accountId);
  const overrides = await overridesOf(options, database, book);
  const all = { ...(before?.transaction_criteria ?? defaults), ...criteria };
  const isComplete = 'amount' in all && 'anchor_date' in all;
  return {
    ...(options.description !== undefined && { description: orNull(options.description) }),
    ...(Object.keys(criteria).length > 0 &&
      isComplete && { transaction_criteria: all as Criteria }),
    ...(Object.keys(overrides).length > 0 && {
      overrides: { ...before?.overrides, ...overrides },
    }),
  };
}

const defaults = { granularity: 'month', quantity: 1 } as const;

/** Returns how often an item is expected, such as `month` or `2 weeks`. */
export function everyText(granularity: string, quantity: number): string {
  return quantity === 1 ? granularity : `${quantity} ${granularity}s`;
}

function criteriaOf(options: ItemOptions, accountId: number | null | undefined): Partial<Criteria> {
  const { payee, amount, tolerance, currency, every, anchor, from, until } = options;
  return {
    ...(payee !== undefined && { payee: orNull(payee) }),
    ...(amount !== undefined && { amount: readAmount('--amount', amount) }),
    ...(tolerance !== undefined && { amount_tolerance: readAmount('--tolerance', tolerance) }),
    ...(currency !== undefined && {
      currency: readCurrency(currency) as Criteria['currency'] & {},
    }),
    ...(every !== undefined && readPeriod(every)),
    ...(anchor !== undefined && { anchor_date: readDate('--anchor', anchor) }),
    ...(from !== undefined && { start_date: readOptionalDate('--from', from) }),
    ...(until !== undefined && { end_date: readOptionalDate('--until', until) }),
    ...(accountId !== undefined && { manual_account_id: accountId, plaid_account_id: null }),
  };
}

async function overridesOf(
  { showPayee, showNotes, showCategory }: ItemOptions,
  database: Engine,
  book: Book,
): Promise<NonNullable<RecurringItemUpdate['overrides']>> {
  return {
    ...(showPayee !== undefined && { payee: orNull(showPayee) }),
    ...(showNotes !== undefined && { notes: orNull(showNotes) }),
    ...(showCategory !== undefined && {
      category_id: await categoryOf(showCategory, database, book),
    }),
  };
}

async function accountOf(wanted: string | undefined, database: Engine, { id, name }: Book) {
  if (wanted === undefined || wanted === '') return wanted === '' ? null : undefined;
  const accounts = await database.readStatement(() => listAccounts(id));
  const choices = accounts.map((each) => ({
    id: each.id,
    names: [each.display_name, each.name],
  }));
  return choose(choices, wanted, `The book ${quote(name)}`, ['account', 'accounts']).id;
}

async function categoryOf(wanted: string, database: Engine, { id, name }: Book) {
  if (wanted === '') return null;
  const categories = await database.readStatement(() => listCategories(id));
  const choices = categories.map((each) => ({ id: each.id, names: [each.name] }));
  return choose(choices, wanted, `The book ${quote(name)}`, ['category', 'categories']).id;
}

function readAmount(flag: string, text: string): string {
  if (parseAmount(text) !== null) return text;
  throw new Misuse(`${flag}: ${quote(text)} is not an amount. Use a number such as 9.99`);
}

function readPeriod(text: string): Pick<Criteria, 'granularity' | 'quantity'> {
  const match = /^(\d{1,3})? *(day|week|month|year)s?$/.exec(text);
  const quantity = Number(match?.[1] ?? 1);
  if (match !== null && quantity > 0)
    return { granularity: match[2] as Criteria['granularity'], quantity };
  throw new Misuse(`--every: ${quote(text)} is not a period. Use one such as month or 2weeks`);
}

function readDate(flag: string, text: string): string {
  if (isCalendarDate(text)) return text;
  throw new Misuse(`${flag}: ${quote(text)} is not a date. Use one such as 2027-01-31`);
}

function readOptionalDate(flag: string, text: string): string | null {
  return text === '' ? null : readDate(flag, text);
}

function orNull(text: string): string | null {
  return text.trim() === '' ? null : text;
}
