import { booksOf, contentsOf, createBook, removeBook, renameBook } from '@coffer/server';
import type { Command } from 'commander';
import { addBookOptions, addUserOptions, withBook, withUser } from '../book.ts';
import type { BookOptions, UserOptions } from '../book.ts';
import { writeLine, writeResult } from '../../terminal/context.ts';
import type { CommandContext, JsonOption } from '../../terminal/context.ts';
import { Failure } from '../../terminal/failure.ts';
import { addFilesOption, readExistingDatabase } from '../database.ts';
import { readCurrency, readName } from '../options.ts';
import { reportRemoval } from '../removal.ts';
import { addListOption, subcommand } from '../subcommand.ts';
import { confirmRemoval } from '../../terminal/confirm.ts';
import type { ConfirmOptions } from '../../terminal/confirm.ts';
import { count, quote } from '../../terminal/format.ts';
import { writeList } from '../../terminal/table.ts';
import { importArchive } from './import-book.ts';
import type { BookImportOptions } from './import-book.ts';

type ListOptions = UserOptions & JsonOption;
type CreateOptions = ListOptions & { readonly currency: string };
type RemoveOptions = BookOptions & ConfirmOptions;

/** `coffer book create`, `list`, `rename`, `import` and `remove`. */
export function define(book: Command, context: CommandContext): void {
  const create = subcommand(book, 'create', 'create another, empty book for a user')
    .argument('<name>', 'name of the book, unique among the books of the user')
    .option('--currency <code>', 'primary currency of the book', 'usd')
    .option('--json', 'print the result as a line of JSON');
  addUserOptions(create).action((name: string, options: CreateOptions) =>
    addBook(name, options, context),
  );
  const list = addListOption(subcommand(book, 'list', 'list the books of a user'));
  addUserOptions(list).action((options: ListOptions) => printBooks(options, context));
  const rename = subcommand(book, 'rename', 'rename a book');
  rename.argument('<name>', 'new name, unique among the books of the user');
  addBookOptions(rename).action((name: string, options: BookOptions) =>
    changeName(name, options, context),
  );
  const whole = subcommand(
    book,
    'import',
    'import a book that "coffer export --format archive" wrote, whole or not at all',
    'A database without users gets the owner of the book, and all ids as they were. Otherwise its records get new ids.',
  )
    .argument('<file>', 'the archive')
    .option('--name <name>', 'name of the book, instead of the one in the archive')
    .option('--json', 'print the result as a line of JSON');
  addUserOptions(addFilesOption(whole)).action((file: string, options: BookImportOptions) =>
    importArchive(file, options, context),
  );
  const kept = 'The only book of a user cannot be removed. Remove the user instead.';
  const remove = subcommand(book, 'remove', 'remove a book with everything in it', kept)
    .requiredOption('--book <book>', 'name or id of the book')
    .option('--yes', 'remove without a prompt; required if there is no terminal');
  addUserOptions(remove).action((options: RemoveOptions) => removeWithRecords(options, context));
}

async function addBook(text: string, options: CreateOptions, context: CommandContext) {
  const name = readName('The name', text);
  const primaryCurrency = readCurrency(options.currency);
  await withUser(options, context, async (database, { id: userId, email }) => {
    const { id } = await database.write(() => createBook({ userId, name, primaryCurrency }));
    const record = { id, name, primary_currency: primaryCurrency };
    const sentence = `Created the book ${quote(name)} (id ${id}) in ${primaryCurrency} for ${quote(email)}`;
    writeResult(context, options, record, sentence);
  });
}

async function printBooks(options: ListOptions, context: CommandContext): Promise<void> {
  const books = await withUser(options, context, (database, user) =>
    database.read(function* () {
      const all = [];
      for (const { id, name, primaryCurrency } of yield* booksOf(user.id))
        all.push({ id, name, primary_currency: primaryCurrency, ...(yield* contentsOf(id)) });
      return all;
    }),
  );
  writeList(books, 'There are no books', options, context);
}

async function changeName(text: string, options: BookOptions, context: CommandContext) {
  const name = readName('The new name', text);
  await withBook(options, context, async (database, book) => {
    await database.write(() => renameBook(book.id, name));
    writeLine(context.stderr, `Renamed the book ${quote(book.name)} to ${quote(name)}`);
  });
}

async function removeWithRecords(options: RemoveOptions, context: CommandContext): Promise<void> {
  await withBook(options, context, async (database, { id, name, userId }, { email }) => {
    if ((await database.readStatement(() => booksOf(userId))).length === 1) {
      const hint = 'Remove the user with "coffer user remove"';
      throw new Failure(`${quote(name)} is the only book of ${quote(email)}. ${hint}`);
    }
    const { transactions, tokens } = await database.readStatement(() => contentsOf(id));
    const contents = `${count(transactions, 'transaction')} and ${count(tokens, 'access token')}`;
    const what = `the book ${quote(name)} of ${quote(email)} with ${contents}`;
    await confirmRemoval({ what, called: 'the name of the book', reply: name }, options, context);
    const config = readExistingDatabase(options, context);
    await reportRemoval(what, config, context, (files) => removeBook(database, id, { files }));
  });
}
