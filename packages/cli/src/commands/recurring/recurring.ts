import {
  addRecurring,
  changeRecurring,
  deleteRecurring,
  listRecurring,
} from '@coffer/server/src/ledger/recurring/items.ts';
import { detailsOf as recurringDetails } from '@coffer/server/src/ledger/recurring/rules.ts';
import type {
  RecurringItemDetails,
  RecurringItemUpdate,
} from '@coffer/server/src/ledger/recurring/schema.ts';
import type { Command } from 'commander';
import { performOnBook, type OnBook } from '../book.ts';
import { choose, addListOption, subcommand, readCurrency, readDate } from '../options.ts';
import {
  writeLine,
  writeResult,
  type CommandContext,
  type JsonOption,
} from '../../terminal/context.ts';
import { Misuse } from '../../terminal/failure.ts';
import { count, quote } from '../../terminal/format.ts';
import { writeList } from '../../terminal/table.ts';
import { parseAmount } from '@coffer/core/money';
import { listAccounts } from '@coffer/server/src/ledger/accounts/actions.ts';
import { listCategories } from '@coffer/server/src/ledger/categories/actions.ts';

/** The options that describe a recurring item. */
interface ItemOptions {
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
function addItemOptions(command: Command): Command {
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
async function readItem(
  on: OnBook,
  options: ItemOptions,
  before: RecurringItemDetails | null,
): Promise<RecurringItemUpdate> {
  const accountId = await accountOf(on, options.account);
  const criteria = criteriaOf(options, accountId);
  const overrides = await overridesOf(on, options);
  const all = { ...(before?.transaction_criteria ?? defaults), ...criteria };
  const isComplete = 'amount' in all && 'anchor_date' in all;
  return {
    ...(options.description !== undefined && { description: orNull(options.description) }),
    ...(Object.keys(criteria).length > 0 &&
      isComplete && { transaction_criteria: all as Criteria }),
    ...(Object.keys(overrides).length > 0 && { overrides: { ...before?.overrides, ...overrides } }),
  };
}

const defaults = { granularity: 'month', quantity: 1 } as const;

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
  on: OnBook,
  { showPayee, showNotes, showCategory }: ItemOptions,
): Promise<NonNullable<RecurringItemUpdate['overrides']>> {
  return {
    ...(showPayee !== undefined && { payee: orNull(showPayee) }),
    ...(showNotes !== undefined && { notes: orNull(showNotes) }),
    ...(showCategory !== undefined && { category_id: await categoryOf(on, showCategory) }),
  };
}

async function accountOf({ database, book, owner }: OnBook, wanted: string | undefined) {
  if (wanted === undefined || wanted === '') return wanted === '' ? null : undefined;
  const accounts = await database.readStatement(() => listAccounts(book.id));
  const choices = accounts.map((each) => ({ id: each.id, names: [each.display_name, each.name] }));
  return choose(choices, wanted, owner, ['account', 'accounts']).id;
}

async function categoryOf({ database, book, owner }: OnBook, wanted: string) {
  if (wanted === '') return null;
  const categories = await database.readStatement(() => listCategories(book.id));
  const choices = categories.map((each) => ({ id: each.id, names: [each.name] }));
  return choose(choices, wanted, owner, ['category', 'categories']).id;
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

function readOptionalDate(flag: string, text: string): string | null {
  return text === '' ? null : readDate(flag, text);
}

function orNull(text: string): string | null {
  return text.trim() === '' ? null : text;
}

/** `coffer recurring list`, `add`, `update`, `remove`, `accept` and `dismiss`. */
export function define(recurring: Command, context: CommandContext): void {
  const list = subcommand(recurring, 'list', 'list the recurring items of a book');
  performOnBook(addListOption(list), context, printItems);
  const add = subcommand(recurring, 'add', 'add a recurring item')
    .argument('<payee>', 'payee of the transactions')
    .option('--json', 'print the result as a line of JSON');
  performOnBook(addItemOptions(add), context, addItem);
  const update = subcommand(recurring, 'update', 'change a recurring item');
  update.argument('<item>', which).option('--payee <payee>', 'payee of the transactions');
  performOnBook(addItemOptions(update), context, updateItem);
  const kept = 'Its transactions stay, and show their own payee, notes and category again.';
  const remove = subcommand(recurring, 'remove', 'remove a recurring item', kept);
  performOnBook(remove.argument('<item>', which), context, removeItem);
  const accept = subcommand(recurring, 'accept', 'accept a suggested recurring item');
  performOnBook(accept.argument('<item>', which), context, (on, item: string) =>
    changeStatus(on, item, 'reviewed'),
  );
  const never = 'It is not suggested again.';
  const dismiss = subcommand(recurring, 'dismiss', 'dismiss a suggested recurring item', never);
  performOnBook(dismiss.argument('<item>', which), context, (on, item: string) =>
    changeStatus(on, item, 'dismissed'),
  );
}

const which = 'id, description or payee of the recurring item';

async function printItems({ database, book, options, context }: OnBook<JsonOption>): Promise<void> {
  const items = await database.readStatement(() => listRecurring(book.id));
  const records = items.map((item) => recordOf(recurringDetails(item)));
  const keys = ['id', 'payee', 'amount', 'currency', 'every', 'anchor_date', 'status'] as const;
  writeList(records, 'There are no recurring items', options, context, keys);
}

async function addItem(on: OnBook<ItemOptions & JsonOption>, payee: string): Promise<void> {
  const { database, book, user, options, context } = on;
  const body = await readItem(on, { ...options, payee }, null);
  const { transaction_criteria: criteria, description = null, overrides } = body;
  if (criteria === undefined) throw new Misuse('Give the item an --amount and an --anchor');
  const item = { description, transaction_criteria: criteria, ...(overrides && { overrides }) };
  const made = await database.write(() => addRecurring(book.id, user.id, item));
  const record = recordOf(recurringDetails(made));
  const expected = `${record.amount} ${record.currency} every ${record.every}`;
  const sentence = `Added the recurring item ${labelOf(record)}: ${expected}`;
  writeResult(context, options, record, sentence);
}

async function updateItem(on: OnBook<ItemOptions>, which: string): Promise<void> {
  const found = await chooseItem(on, which);
  const body = await readItem(on, on.options, found);
  if (Object.keys(body).length === 0) throw new Misuse('Nothing to change: give an option');
  const changed = await on.database.write(() => changeRecurring(on.book.id, found.id, body));
  const label = labelOf(recordOf(recurringDetails(changed)));
  writeLine(on.context.stderr, `Changed the recurring item ${label}`);
}

async function removeItem(on: OnBook, which: string): Promise<void> {
  const found = await chooseItem(on, which);
  const linked = await on.database.write(() => deleteRecurring(on.book.id, found.id));
  const links = linked === 0 ? '' : ` from ${count(linked, 'transaction')}`;
  writeLine(on.context.stderr, `Removed the recurring item ${labelOf(recordOf(found))}${links}`);
}

async function changeStatus(
  on: OnBook,
  which: string,
  status: 'reviewed' | 'dismissed',
): Promise<void> {
  const found = await chooseItem(on, which);
  await on.database.write(() => changeRecurring(on.book.id, found.id, { status }));
  const done = status === 'reviewed' ? 'Accepted' : 'Dismissed';
  writeLine(on.context.stderr, `${done} the recurring item ${labelOf(recordOf(found))}`);
}

/** Returns the recurring item with that id, description or payee. */
async function chooseItem(
  { database, book, owner }: OnBook,
  wanted: string,
): Promise<RecurringItemDetails> {
  const items = await database.readStatement(() => listRecurring(book.id));
  const choices = items.map(recurringDetails).map((item) => ({
    ...item,
    names: [item.overrides.payee ?? null, item.transaction_criteria.payee, item.description],
  }));
  return choose(choices, wanted, owner, ['recurring item', 'recurring items']);
}

/** A recurring item as `list` prints it. */
function recordOf({ id, description, status, ...item }: RecurringItemDetails) {
  const { granularity, quantity, payee, amount, amount_tolerance, currency, ...criteria } =
    item.transaction_criteria;
  const { anchor_date, start_date, end_date, manual_account_id, plaid_account_id } = criteria;
  const { payee: shownPayee = null, notes = null, category_id = null } = item.overrides;
  const every = quantity === 1 ? granularity : `${quantity} ${granularity}s`;
  const shown = { shown_payee: shownPayee, shown_notes: notes, shown_category_id: category_id };
  return {
    id,
    description,
    status,
    payee,
    amount,
    amount_tolerance,
    currency,
    every,
    granularity,
    quantity,
    anchor_date,
    start_date,
    end_date,
    manual_account_id,
    plaid_account_id,
    ...shown,
  };
}

function labelOf({ id, payee, description }: ReturnType<typeof recordOf>): string {
  const name = payee ?? description;
  return name === null ? String(id) : `${id} ${quote(name)}`;
}
