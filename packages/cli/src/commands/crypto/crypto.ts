import {
  cryptoProviders,
  cryptoRecord,
  linkCryptoAccount,
  listCryptoAccounts,
  sealCredentials,
  unlinkCryptoAccount,
} from '@coffer/server';
import type { Command } from 'commander';
import { addBookOptions, withBook } from '../book.ts';
import type { BookOptions } from '../book.ts';
import { writeLine, writeResult } from '../../terminal/context.ts';
import type { CommandContext, JsonOption } from '../../terminal/context.ts';
import { Failure } from '../../terminal/failure.ts';
import { readId, readLabel } from '../options.ts';
import { readSealingKey } from '../sealing-key.ts';
import { quote } from '../../terminal/format.ts';
import { writeList } from '../../terminal/table.ts';
import { readCredentials } from './credentials.ts';
import type { CredentialOptions } from './credentials.ts';

type ListOptions = BookOptions & JsonOption;
type AddOptions = ListOptions & CredentialOptions & { readonly name?: string };

/** `coffer crypto add`, `list` and `remove`. */
export function define(crypto: Command, context: CommandContext): void {
  const provider = crypto
    .createOption('--provider <provider>', 'provider of the balances')
    .choices([...cryptoProviders])
    .makeOptionMandatory();
  const add = crypto
    .command('add')
    .summary('add a synced crypto account to a book')
    .description(
      'Add a synced crypto account to a book. The key of an exchange is read from standard input or a file: ' +
        'two lines, the key and its secret, or the JSON file of Coinbase. It is stored encrypted with ENCRYPTION_KEY.',
    )
    .addOption(provider)
    .option('--address <address>', 'address of an Ethereum wallet: 0x and 40 hexadecimal digits')
    .option('--key-file <file>', 'file with the key of an exchange')
    .option('--name <text>', 'name of the account')
    .option('--json', 'print the result as a line of JSON');
  const list = crypto
    .command('list')
    .summary('list the synced crypto accounts of a book')
    .description('List the synced crypto accounts of a book, as of their last refresh.')
    .option('--json', 'print a line of JSON for each account, with its balances');
  const remove = crypto
    .command('remove')
    .summary('remove a synced crypto account')
    .description('Remove a synced crypto account with its balances and its key.')
    .argument('<id>', 'id of the account');
  for (const command of [add, list, remove]) addBookOptions(command);
  add.action((options: AddOptions) => addCryptoAccount(options, context));
  list.action((options: ListOptions) => listAccounts(options, context));
  remove.action((id: string, options: BookOptions) => removeAccount(id, options, context));
}

/** Adds a synced crypto account to a book. Sends no request to its provider. */
async function addCryptoAccount(options: AddOptions, context: CommandContext): Promise<void> {
  const { provider } = options;
  const displayName = readLabel('--name', options.name);
  const key = readSealingKey(context.environment);
  const credentials = await readCredentials(options, context);
  await withBook(options, context, async (database, book) => {
    const sealedCredentials = await sealCredentials(key, book.id, credentials);
    const account = { provider, displayName, sealedCredentials };
    const id = await linkCryptoAccount(database, book.id, account);
    const sentence =
      `Added the ${provider} account ${id} to the book ${quote(book.name)}. ` +
      `Read its balances with POST /v2/crypto/synced/${id}/refresh`;
    const record = { id, provider, display_name: displayName, book_id: book.id };
    writeResult(context, options, record, sentence);
  });
}

async function listAccounts(options: ListOptions, context: CommandContext): Promise<void> {
  const accounts = await withBook(options, context, (database, { id }) =>
    database.read(() => listCryptoAccounts(id)),
  );
  const records = accounts.map(cryptoRecord);
  const keys = ['id', 'provider', 'display_name', 'status', 'last_import', 'balances'] as const;
  writeList(records, 'There are no synced crypto accounts', options, context, keys);
}

async function removeAccount(
  idText: string,
  options: BookOptions,
  context: CommandContext,
): Promise<void> {
  const id = readId(idText, 'a synced crypto account', 'coffer crypto list');
  await withBook(options, context, async (database, book) => {
    if (await unlinkCryptoAccount(database, book.id, id)) return;
    throw new Failure(`The book ${quote(book.name)} has no synced crypto account ${id}`);
  });
  writeLine(context.stderr, `Removed the synced crypto account ${id}`);
}
