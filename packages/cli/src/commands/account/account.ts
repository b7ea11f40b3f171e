import { listSyncedAccounts, mergeAccounts } from '@coffer/server/src/ledger/merge.ts';
import type { ManualAccount } from '@coffer/server/src/ledger/accounts/actions.ts';
import { formatAmount } from '@coffer/core/money';
import {
  archiveAccount,
  listAccounts,
  renameAccount,
} from '@coffer/server/src/ledger/accounts/actions.ts';
import { maxAccountNameLength } from '@coffer/server/src/operations/limits.ts';
import type { Engine } from '@coffer/server/src/db/engine.ts';
import type { Command } from 'commander';
import { addBookOptions, withBook, type BookOptions } from '../book.ts';
import { choose, readName, addListOption, subcommand, perform } from '../options.ts';
import { writeLine, type CommandContext, type JsonOption } from '../../terminal/context.ts';
import { quote } from '../../terminal/format.ts';
import { writeList } from '../../terminal/table.ts';

type ListOptions = BookOptions & JsonOption;
type MergeOptions = BookOptions & { readonly synced?: true; readonly addBalance?: true };
type ArchiveOptions = BookOptions & { readonly reopen?: true };

/** `coffer account list`, `rename`, `archive` and `merge`. */
export function define(account: Command, context: CommandContext): void {
  const list = addListOption(subcommand(account, 'list', 'list the manual accounts of a book'));
  perform(addBookOptions(list), context, printAccounts);
  const shown = 'Sets the display name. Imports still find the account by its original name.';
  const rename = subcommand(account, 'rename', 'rename a manual account', shown)
    .argument('<account>', 'id or name of the account')
    .argument('<name>', 'new name, unique among the manual accounts of the book');
  perform(addBookOptions(rename), context, changeName);
  const closed = 'Its status becomes "closed" as of today, in UTC. Its transactions stay.';
  const archive = subcommand(account, 'archive', 'archive a manual account', closed)
    .argument('<account>', 'id or name of the account')
    .option('--reopen', 'make the account active again');
  perform(addBookOptions(archive), context, close);
  const moved = 'Moves the transactions of a manual account, and removes it.';
  const merge = subcommand(account, 'merge', 'merge a manual account into another account', moved)
    .argument('<account>', 'id or name of the account, which is removed')
    .argument('<into>', 'id or name of the account that is kept')
    .option('--synced', 'the account that is kept is a synced account')
    .option('--add-balance', 'add the balance to that of the account that is kept');
  perform(addBookOptions(merge), context, mergeInto);
}

async function printAccounts(options: ListOptions, context: CommandContext): Promise<void> {
  const accounts = await withBook(options, context, (database, { id }) =>
    database.readStatement(() => listAccounts(id)),
  );
  const records = accounts.map((each) => {
    const { id, name, display_name, type, currency, status, closed_on } = each;
    const balance = formatAmount(each.balance);
    return { id, name, display_name, type, currency, balance, status, closed_on };
  });
  writeList(records, 'There are no manual accounts', options, context);
}

async function changeName(
  which: string,
  text: string,
  options: BookOptions,
  context: CommandContext,
): Promise<void> {
  const name = readName('The new name', text, maxAccountNameLength);
  await withAccount(which, options, context, async (database, { id, book_id, names: [before] }) => {
    await database.write(() => renameAccount(book_id, id, name));
    writeLine(context.stderr, `Renamed the account ${quote(before)} to ${quote(name)}`);
  });
}

async function close(which: string, options: ArchiveOptions, context: CommandContext) {
  const isArchived = options.reopen !== true;
  await withAccount(which, options, context, async (database, { id, book_id, names: [name] }) => {
    await database.write(() => archiveAccount(book_id, id, isArchived));
    const done = isArchived ? 'Archived' : 'Reopened';
    writeLine(context.stderr, `${done} the account ${quote(name)}`);
  });
}

async function mergeInto(
  which: string,
  into: string,
  options: MergeOptions,
  context: CommandContext,
): Promise<void> {
  await withAccount(which, options, context, async (database, account, owner) => {
    const [shown] = account.names;
    const kept = await chooseTarget(database, account, into, owner, options);
    const { transactions, balance, currency } = await database.write(() =>
      mergeAccounts(account.book_id, account.id, kept.target),
    );
    const moved = `${transactions} ${transactions === 1 ? 'transaction' : 'transactions'}`;
    const names = `${quote(shown)} into ${quote(kept.shown)}`;
    const total = `${formatAmount(balance)} ${currency}`;
    writeLine(context.stderr, `Merged the account ${names}: ${moved}. Balance: ${total}`);
  });
}

/** Returns the account to merge into, with its shown name. */
async function chooseTarget(
  database: Engine,
  { book_id }: ManualAccount,
  into: string,
  owner: string,
  { synced, addBalance }: MergeOptions,
) {
  const add_balance = addBalance === true;
  if (synced === true) {
    const accounts = await database.readStatement(() => listSyncedAccounts(book_id));
    const kept = choose(named(accounts), into, owner, ['synced account', 'synced accounts']);
    return { target: { into_plaid_id: kept.id, add_balance }, shown: kept.names[0] };
  }
  const accounts = await database.readStatement(() => listAccounts(book_id));
  const kept = choose(named(accounts), into, owner, nouns);
  return { target: { into_id: kept.id, add_balance }, shown: kept.names[0] };
}

const nouns = ['manual account', 'manual accounts'] as const;

/** An account with its shown name and its original name. */
type Named<T> = T & { readonly names: readonly [shown: string, original: string] };
type NamedAccount = Named<ManualAccount>;

function named<T extends { readonly name: string; readonly display_name: string | null }>(
  accounts: readonly T[],
): Named<T>[] {
  return accounts.map((each) => ({ ...each, names: [each.display_name ?? each.name, each.name] }));
}

/** Runs `work` on the named manual account. `owner` names its book in messages. */
function withAccount(
  which: string,
  options: BookOptions,
  context: CommandContext,
  work: (database: Engine, account: NamedAccount, owner: string) => Promise<void>,
): Promise<void> {
  return withBook(options, context, async (database, book) => {
    const accounts = named(await database.readStatement(() => listAccounts(book.id)));
    const owner = `The book ${quote(book.name)}`;
    return work(database, choose(accounts, which, owner, nouns), owner);
  });
}
