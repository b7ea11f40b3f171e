import { formatAmount } from '@coffer/core/money';
import { archiveAccount, listAccounts, maxAccountNameLength, renameAccount } from '@coffer/server';
import type { Engine, ManualAccount } from '@coffer/server';
import type { Command } from 'commander';
import { addBookOptions, withBook } from '../../book.ts';
import type { BookOptions } from '../../book.ts';
import { choose } from '../../choose.ts';
import { writeLine } from '../../context.ts';
import type { CommandContext, JsonOption } from '../../context.ts';
import { readName } from '../../options.ts';
import { addListOption, subcommand } from '../../subcommand.ts';
import { quote } from '../../terminal/format.ts';
import { writeList } from '../../terminal/table.ts';

type ListOptions = BookOptions & JsonOption;
type ArchiveOptions = BookOptions & { readonly reopen?: true };

/** `coffer account list`, `rename` and `archive`. */
export function define(account: Command, context: CommandContext): void {
  const list = addListOption(subcommand(account, 'list', 'list the manual accounts of a book'));
  addBookOptions(list).action((options: ListOptions) => printAccounts(options, context));
  const shown = 'Sets the display name. Imports still find the account by its original name.';
  const rename = subcommand(account, 'rename', 'rename a manual account', shown)
    .argument('<account>', 'id or name of the account')
    .argument('<name>', 'new name, unique among the manual accounts of the book');
  addBookOptions(rename).action((which: string, name: string, options: BookOptions) =>
    changeName(which, name, options, context),
  );
  const closed = 'Its status becomes "closed" as of today, in UTC. Its transactions stay.';
  const archive = subcommand(account, 'archive', 'archive a manual account', closed)
    .argument('<account>', 'id or name of the account')
    .option('--reopen', 'make the account active again');
  addBookOptions(archive).action((which: string, options: ArchiveOptions) =>
    close(which, options, context),
  );
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

/** A manual account with its shown name and its original name. */
type NamedAccount = ManualAccount & { readonly names: readonly [shown: string, original: string] };

/** Runs `work` on the named manual account. */
function withAccount(
  which: string,
  options: BookOptions,
  context: CommandContext,
  work: (database: Engine, account: NamedAccount) => Promise<void>,
): Promise<void> {
  return withBook(options, context, async (database, book) => {
    const accounts = (await database.readStatement(() => listAccounts(book.id))).map(
      (each): NamedAccount => ({ ...each, names: [each.display_name ?? each.name, each.name] }),
    );
    const nouns = ['manual account', 'manual accounts'] as const;
    return work(database, choose(accounts, which, `The book ${quote(book.name)}`, nouns));
  });
}
