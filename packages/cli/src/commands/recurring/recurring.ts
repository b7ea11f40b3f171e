import {
  addRecurring,
  changeRecurring,
  deleteRecurring,
} from '@coffer/server/src/ledger/recurring/commands.ts';
import { listRecurring } from '@coffer/server/src/ledger/recurring/items.ts';
import { detailsOf as recurringDetails } from '@coffer/server/src/ledger/recurring/rules.ts';
import type { RecurringItemDetails } from '@coffer/server/src/ledger/recurring/schema.ts';
import type { Command } from 'commander';
import { addBookOptions, withBook } from '../book.ts';
import type { BookOptions } from '../book.ts';
import { choose } from '../choose.ts';
import { writeLine, writeResult } from '../../terminal/context.ts';
import type { CommandContext, JsonOption } from '../../terminal/context.ts';
import { Misuse } from '../../terminal/failure.ts';
import { addListOption, subcommand } from '../subcommand.ts';
import { count, quote } from '../../terminal/format.ts';
import { writeList } from '../../terminal/table.ts';
import { addItemOptions, everyText, readItem } from './options.ts';
import type { ItemOptions } from './options.ts';

type ListOptions = BookOptions & JsonOption;
type AddOptions = ListOptions & ItemOptions;
type UpdateOptions = BookOptions & ItemOptions;

/** `coffer recurring list`, `add`, `update`, `remove`, `accept` and `dismiss`. */
export function define(recurring: Command, context: CommandContext): void {
  const list = subcommand(recurring, 'list', 'list the recurring items of a book');
  addBookOptions(addListOption(list)).action((options: ListOptions) =>
    printItems(options, context),
  );
  const add = subcommand(recurring, 'add', 'add a recurring item')
    .argument('<payee>', 'payee of the transactions')
    .option('--json', 'print the result as a line of JSON');
  addBookOptions(addItemOptions(add)).action((payee: string, options: AddOptions) =>
    addItem(payee, options, context),
  );
  const update = subcommand(recurring, 'update', 'change a recurring item');
  update.argument('<item>', which).option('--payee <payee>', 'payee of the transactions');
  addBookOptions(addItemOptions(update)).action((item: string, options: UpdateOptions) =>
    updateItem(item, options, context),
  );
  const kept = 'Its transactions stay, and show their own payee, notes and category again.';
  const remove = subcommand(recurring, 'remove', 'remove a recurring item', kept);
  addBookOptions(remove.argument('<item>', which)).action((item: string, options: BookOptions) =>
    removeItem(item, options, context),
  );
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
