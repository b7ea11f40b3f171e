import {
  addRecurring,
  changeRecurring,
  deleteRecurring,
} from '@coffer/server/src/ledger/recurring/commands.ts';
import { listRecurring } from '@coffer/server/src/ledger/recurring/items.ts';
import { detailsOf as recurringDetails } from '@coffer/server/src/ledger/recurring/rules.ts';
import type {
  RecurringItemDetails,
  RecurringItemUpdate,
} from '@coffer/server/src/ledger/recurring/schema.ts';
import type { Command } from 'commander';
import { addBookOptions, withBook, type BookOptions } from '../book.ts';
import { choose, addListOption, subcommand, readCurrency, readDate, perform } from '../options.ts';
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
import type { Book } from '@coffer/server/src/operations/caller.ts';
import type { Engine } from '@coffer/server/src/db/engine.ts';

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
function everyText(granularity: string, quantity: number): string {
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

function readOptionalDate(flag: string, text: string): string | null {
  return text === '' ? null : readDate(flag, text);
}

function orNull(text: string): string | null {
  return text.trim() === '' ? null : text;
}

type ListOptions = BookOptions & JsonOption;
type AddOptions = ListOptions & ItemOptions;
type UpdateOptions = BookOptions & ItemOptions;

/** `coffer recurring list`, `add`, `update`, `remove`, `accept` and `dismiss`. */
export function define(recurring: Command, context: CommandContext): void {
  const list = subcommand(recurring, 'list', 'list the recurring items of a book');
  perform(addBookOptions(addListOption(list)), context, printItems);
  const add = subcommand(recurring, 'add', 'add a recurring item')
    .argument('<payee>', 'payee of the transactions')
    .option('--json', 'print the result as a line of JSON');
  perform(addBookOptions(addItemOptions(add)), context, addItem);
  const update = subcommand(recurring, 'update', 'change a recurring item');
  update.argument('<item>', which).option('--payee <payee>', 'payee of the transactions');
  perform(addBookOptions(addItemOptions(update)), context, updateItem);
  const kept = 'Its transactions stay, and show their own payee, notes and category again.';
  const remove = subcommand(recurring, 'remove', 'remove a recurring item', kept);
  perform(addBookOptions(remove.argument('<item>', which)), context, removeItem);
  const accept = subcommand(recurring, 'accept', 'accept a suggested recurring item');
  addBookOptions(accept.argument('<item>', which)).action((item: string, options: BookOptions) =>
    changeStatus(item, 'reviewed', options, context),
  );
  const never = 'It is not suggested again.';
  const dismiss = subcommand(recurring, 'dismiss', 'dismiss a suggested recurring item', never);
  addBookOptions(dismiss.argument('<item>', which)).action((item: string, options: BookOptions) =>
    changeStatus(item, 'dismissed', options, context),
  );
}

const which = 'id, description or payee of the recurring item';

async function printItems(options: ListOptions, context: CommandContext): Promise<void> {
  const items = await withBook(options, context, (database, { id }) =>
    database.readStatement(() => listRecurring(id)),
  );
  const records = items.map((item) => recordOf(recurringDetails(item)));
  const keys = ['id', 'payee', 'amount', 'currency', 'every', 'anchor_date', 'status'] as const;
  writeList(records, 'There are no recurring items', options, context, keys);
}

async function addItem(payee: string, options: AddOptions, context: CommandContext) {
  await withBook(options, context, async (database, book, user) => {
    const body = await readItem({ ...options, payee }, null, database, book);
    const { transaction_criteria: criteria, description = null, overrides } = body;
    if (criteria === undefined) throw new Misuse('Give the item an --amount and an --anchor');
    const item = { description, transaction_criteria: criteria, ...(overrides && { overrides }) };
    const made = await database.write(() => addRecurring(book.id, user.id, item));
    const record = recordOf(recurringDetails(made));
    const expected = `${record.amount} ${record.currency} every ${record.every}`;
    const sentence = `Added the recurring item ${labelOf(record)}: ${expected}`;
    writeResult(context, options, record, sentence);
  });
}

async function updateItem(item: string, options: UpdateOptions, context: CommandContext) {
  await withItem(item, options, context, async ({ database, book, found }) => {
    const body = await readItem(options, found, database, book);
    if (Object.keys(body).length === 0) throw new Misuse('Nothing to change: give an option');
    const changed = await database.write(() => changeRecurring(book.id, found.id, body));
    writeLine(
      context.stderr,
      `Changed the recurring item ${labelOf(recordOf(recurringDetails(changed)))}`,
    );
  });
}

async function removeItem(item: string, options: BookOptions, context: CommandContext) {
  await withItem(item, options, context, async ({ database, book, found }) => {
    const linked = await database.write(() => deleteRecurring(book.id, found.id));
    const links = linked === 0 ? '' : ` from ${count(linked, 'transaction')}`;
    writeLine(context.stderr, `Removed the recurring item ${labelOf(recordOf(found))}${links}`);
  });
}

async function changeStatus(
  item: string,
  status: 'reviewed' | 'dismissed',
  options: BookOptions,
  context: CommandContext,
) {
  await withItem(item, options, context, async ({ database, book, found }) => {
    await database.write(() => changeRecurring(book.id, found.id, { status }));
    const done = status === 'reviewed' ? 'Accepted' : 'Dismissed';
    writeLine(context.stderr, `${done} the recurring item ${labelOf(recordOf(found))}`);
  });
}

interface FoundItem {
  readonly database: Parameters<Parameters<typeof withBook>[2]>[0];
  readonly book: Parameters<Parameters<typeof withBook>[2]>[1];
  readonly found: RecurringItemDetails;
}

/** Runs `work` on the recurring item with that id, description or payee. */
function withItem(
  wanted: string,
  options: BookOptions,
  context: CommandContext,
  work: (found: FoundItem) => Promise<void>,
): Promise<void> {
  return withBook(options, context, async (database, book) => {
    const items = await database.readStatement(() => listRecurring(book.id));
    const choices = items.map(recurringDetails).map((item) => ({
      ...item,
      names: [item.overrides.payee ?? null, item.transaction_criteria.payee, item.description],
    }));
    const nouns = ['recurring item', 'recurring items'] as const;
    const found = choose(choices, wanted, `The book ${quote(book.name)}`, nouns);
    return work({ database, book, found });
  });
}

/** A recurring item as `list` prints it. */
function recordOf({ id, description, status, ...item }: RecurringItemDetails) {
  const { granularity, quantity, payee, amount, amount_tolerance, currency, ...criteria } =
    item.transaction_criteria;
  const { anchor_date, start_date, end_date, manual_account_id, plaid_account_id } = criteria;
  const { payee: shownPayee = null, notes = null, category_id = null } = item.overrides;
  const every = everyText(granularity, quantity);
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
