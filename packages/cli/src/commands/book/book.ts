import {
  contentsOf,
  createBook,
  renameBook,
  setPrimaryCurrency,
  listUsers,
  booksOf,
} from '@coffer/server/src/identity/users/actions.ts';
import { changeCurrencyByCommand } from '@coffer/server/src/ledger/currency-change.ts';
import { removeBook } from '@coffer/server/src/maintenance/user-removal.ts';
import { importBook, type ImportedBook } from '@coffer/server/src/exports/archive/import-book.ts';
import type { CurrencyCode } from '@coffer/server/src/operations/currencies.ts';
import type { Command } from 'commander';
import {
  addBookOptions,
  addUserOptions,
  withBook,
  withUser,
  type BookOptions,
  type UserOptions,
  chooseUser,
} from '../book.ts';
import {
  writeLine,
  writeResult,
  type CommandContext,
  type JsonOption,
} from '../../terminal/context.ts';
import { Failure } from '../../terminal/failure.ts';
import {
  reportRemoval,
  addFilesOption,
  readExistingDatabase,
  openFilesOf,
  readDatabase,
  withDatabase,
  type FilesOptions,
} from '../database.ts';
import {
  readCurrency,
  readName,
  readEmail,
  addListOption,
  subcommand,
  perform,
} from '../options.ts';
import { confirmRemoval, type ConfirmOptions } from '../../terminal/prompts.ts';
import { count, quote } from '../../terminal/format.ts';
import { writeList } from '../../terminal/table.ts';
import { stat } from 'node:fs/promises';
import { untilStopped } from '../../terminal/stop-signals.ts';
import { startProgress, type Progress } from '../../terminal/progress.ts';

type ListOptions = UserOptions & JsonOption;
type CreateOptions = ListOptions & { readonly currency: string };
type CurrencyOptions = BookOptions & { readonly budgets?: 'convert' | 'keep' };
type RemoveOptions = BookOptions & ConfirmOptions;

/** `coffer book create`, `list`, `rename`, `currency`, `import` and `remove`. */
export function define(book: Command, context: CommandContext): void {
  const create = subcommand(book, 'create', 'create another, empty book for a user')
    .argument('<name>', 'name of the book, unique among the books of the user')
    .option('--currency <code>', 'primary currency of the book', 'usd')
    .option('--json', 'print the result as a line of JSON');
  perform(addUserOptions(create), context, addBook);
  const list = addListOption(subcommand(book, 'list', 'list the books of a user'));
  perform(addUserOptions(list), context, printBooks);
  const rename = subcommand(book, 'rename', 'rename a book');
  rename.argument('<name>', 'new name, unique among the books of the user');
  perform(addBookOptions(rename), context, changeName);
  const currency = subcommand(book, 'currency', 'set the primary currency of a book');
  const choices = 'convert budgets, or keep their numbers; required if the book has amounts';
  currency
    .argument('<code>', 'code of the currency, such as eur')
    .addOption(currency.createOption('--budgets <choice>', choices).choices(['convert', 'keep']));
  perform(addBookOptions(currency), context, changeCurrency);
  const whole = subcommand(
    book,
    'import',
    'import a book that "coffer export --format archive" wrote, whole or not at all',
    'A database without users gets the owner of the book, and all ids as they were. Otherwise its records get new ids.',
  )
    .argument('<file>', 'the archive')
    .option('--name <name>', 'name of the book, instead of the one in the archive')
    .option('--json', 'print the result as a line of JSON');
  perform(addUserOptions(addFilesOption(whole)), context, importArchive);
  const kept = 'The only book of a user cannot be removed. Remove the user instead.';
  const remove = subcommand(book, 'remove', 'remove a book with everything in it', kept)
    .requiredOption('--book <book>', 'name or id of the book')
    .option('--yes', 'remove without a prompt; required if there is no terminal');
  perform(addUserOptions(remove), context, removeWithRecords);
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

async function changeCurrency(text: string, options: CurrencyOptions, context: CommandContext) {
  const code = readCurrency(text, 'The code');
  const { budgets } = options;
  await withBook(options, context, async (database, { id, name }) => {
    await database.write(function* () {
      if (budgets === undefined) return yield* setPrimaryCurrency(id, code);
      const primary_currency = code as CurrencyCode;
      yield* changeCurrencyByCommand(id, { primary_currency, budgets });
    });
    writeLine(context.stderr, `The primary currency of the book ${quote(name)} is ${code}`);
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

/** The options of `coffer book import`. */
interface BookImportOptions extends UserOptions, FilesOptions, JsonOption {
  readonly name?: string;
}

/** Imports the book of an archive, and reports what it has and what was not carried. */
async function importArchive(
  file: string,
  options: BookImportOptions,
  context: CommandContext,
): Promise<void> {
  const name = options.name === undefined ? undefined : readName('--name', options.name);
  const { database: config } = readDatabase(options, context);
  if (!(await stat(file)).isFile()) throw new Failure(`${quote(file)} is not a regular file`);
  const files = await openFilesOf(options, config, context);
  const book = await withDatabase(config, context, async (engine) => {
    const users = await engine.readStatement(() => listUsers());
    const isNew = users.length === 0;
    const user = isNew ? null : await chooseUser(engine, options.email?.trim());
    const email = isNew && options.email !== undefined ? readEmail(options.email) : undefined;
    return withProgress(file, context, (onProgress, signal) =>
      importBook(file, {
        engine,
        files: files.store,
        userId: user?.id ?? null,
        name,
        email,
        onProgress,
        signal,
      }),
    );
  }).finally(files.close);
  report(book, options, context);
}

/** Runs work that a signal ends, and shows its progress. */
async function withProgress<T>(
  file: string,
  context: CommandContext,
  work: (onProgress: (done: number, total: number) => void, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  let progress: Promise<Progress> | undefined;
  const show = (done: number, total: number): void => {
    progress ??= startProgress({ name: `Importing ${file}`, unit: 'rows', total }, context);
    void progress.then((shown) => shown.update(done));
  };
  return untilStopped('The import was stopped. Nothing was imported', (signal) =>
    work(show, signal),
  ).finally(async () => (await progress)?.stop());
}

function report(
  { id, name, email, records, files, hasSameIds, notCarried }: ImportedBook,
  options: BookImportOptions,
  context: CommandContext,
): void {
  const record = {
    id,
    name,
    email,
    has_same_ids: hasSameIds,
    records,
    files,
    not_carried: notCarried,
  };
  const transactions = count(records['transactions'] ?? 0, 'transaction');
  const all = Object.values(records).reduce((sum, each) => sum + each, 0);
  const sentence =
    `Imported the book ${quote(name)} (id ${id}) for ${quote(email)}: ${transactions}, ` +
    `${count(all, 'record')} in all, and ${count(files, 'attached file')}`;
  writeResult(context, options, record, sentence);
  const ids = hasSameIds ? 'All ids are as in the archive' : 'All records have new ids';
  writeLine(context.stderr, `${ids}. Not carried:`);
  for (const { what, reason } of notCarried) writeLine(context.stderr, `- ${what}: ${reason}`);
}
