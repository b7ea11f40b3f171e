import { cryptoProviders } from '@coffer/server';
import type { CryptoAccount } from '@coffer/server';
import type { Command } from 'commander';
import { addCryptoAccount } from './crypto-add.ts';
import type { AddOptions } from './crypto-add.ts';
import { cryptoRecord } from './crypto-record.ts';
import { Failure, Misuse } from './failure.ts';
import { addBookOptions, findBook } from './find-book.ts';
import type { BookOptions } from './find-book.ts';
import { addDatabaseOption, withExistingStore } from './open-database.ts';
import type { DatabaseOptions } from './open-database.ts';
import { count, quote } from './printable.ts';
import { writeLine } from './surroundings.ts';
import type { Surroundings } from './surroundings.ts';

type CryptoOptions = DatabaseOptions & BookOptions;
type ListOptions = CryptoOptions & { readonly json?: true };

/** `coffer crypto add`, `list` and `remove`. */
export function defineCrypto(crypto: Command, surroundings: Surroundings): void {
  const provider = crypto
    .createOption('--provider <provider>', 'where the balances are read')
    .choices([...cryptoProviders])
    .makeOptionMandatory();
  const add = crypto
    .command('add')
    .summary('add a synced crypto account to a book')
    .description(
      'Add a synced crypto account to a book. The key of an exchange comes from standard input or from a file: ' +
        'two lines, the key and its secret, or the JSON file of Coinbase. It is stored sealed by ENCRYPTION_KEY.',
    )
    .addOption(provider)
    .option('--address <address>', 'address of an Ethereum wallet, 0x and 40 digits')
    .option('--key-file <file>', 'read the key of an exchange from this file')
    .option('--name <text>', 'what the account is called')
    .option('--json', 'print the result as a line of JSON');
  const list = crypto
    .command('list')
    .summary('list the synced crypto accounts of a book')
    .description('List the synced crypto accounts of a book, as they were last read.')
    .option('--json', 'print a line of JSON for each, with its balances');
  const remove = crypto
    .command('remove')
    .summary('remove a synced crypto account')
    .description('Remove a synced crypto account with its balances and its key.')
    .argument('<id>', 'id of the account');
  for (const command of [add, list, remove]) addDatabaseOption(addBookOptions(command));
  add.action((options: AddOptions) => addCryptoAccount(options, surroundings));
  list.action((options: ListOptions) => listAccounts(options, surroundings));
  remove.action((id: string, options: CryptoOptions) => removeAccount(id, options, surroundings));
}

async function listAccounts(options: ListOptions, surroundings: Surroundings): Promise<void> {
  const accounts = await withExistingStore(options, surroundings, async (store) =>
    store.listCryptoAccounts((await findBook(store, options)).id),
  );
  const print =
    options.json === true
      ? (account: CryptoAccount) => JSON.stringify(cryptoRecord(account))
      : accountLine;
  for (const account of accounts) writeLine(surroundings.stdout, print(account));
  if (accounts.length === 0) writeLine(surroundings.stderr, 'There are no synced crypto accounts');
}

function accountLine(account: CryptoAccount): string {
  const { id, provider, status, displayName, lastImportIso, balances } = account;
  const name = displayName === null ? 'without a name' : quote(displayName);
  const read = lastImportIso === null ? 'never read' : `last read ${lastImportIso}`;
  return `${id}: ${provider}, ${name}, ${status}, ${read}, ${count(balances.length, 'balance')}`;
}

async function removeAccount(
  idText: string,
  options: CryptoOptions,
  surroundings: Surroundings,
): Promise<void> {
  if (!/^[1-9][0-9]{0,15}$/.test(idText)) {
    throw new Misuse(
      `${quote(idText)} is not the id of an account: "coffer crypto list" shows them`,
    );
  }
  await withExistingStore(options, surroundings, async (store) => {
    const book = await findBook(store, options);
    if (await store.removeCryptoAccount(book.id, Number(idText))) return;
    throw new Failure(`The book ${quote(book.name)} has no synced crypto account ${idText}`);
  });
  writeLine(surroundings.stderr, `The synced crypto account ${idText} is removed`);
}
