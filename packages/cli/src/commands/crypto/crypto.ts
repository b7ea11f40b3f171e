import { sealCredentials, type CryptoCredentials } from '@coffer/server/src/outside/credentials.ts';
import { checkCredentials } from '@coffer/server/src/sync/crypto/credentials.ts';
import type { Command } from 'commander';
import { addBookOptions, performOnBook, withBook, type BookOptions, type OnBook } from '../book.ts';
import {
  writeLine,
  writeResult,
  type CommandContext,
  type JsonOption,
} from '../../terminal/context.ts';
import { Failure, Misuse } from '../../terminal/failure.ts';
import { readId, readLabel, perform, subcommand } from '../options.ts';
import { readSealingKey } from '../environment.ts';
import { quote } from '../../terminal/format.ts';
import { writeList } from '../../terminal/table.ts';
import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { cryptoProviders, cryptoRecord } from '@coffer/server/src/sync/crypto/rules.ts';
import type { CryptoProvider } from '@coffer/server/src/sync/crypto/rules.ts';
import {
  linkCryptoAccount,
  listAccounts as listCryptoAccounts,
  unlinkCryptoAccount,
} from '@coffer/server/src/sync/crypto/actions.ts';

type AddOptions = BookOptions & JsonOption & CredentialOptions & { readonly name?: string };

/** `coffer crypto add`, `list` and `remove`. */
export function define(crypto: Command, context: CommandContext): void {
  const provider = crypto
    .createOption('--provider <provider>', 'provider of the balances')
    .choices([...cryptoProviders])
    .makeOptionMandatory();
  const key =
    'The key of an exchange is read from standard input or a file: two lines, the key and its secret, or the JSON ' +
    'file of Coinbase. It is stored encrypted with ENCRYPTION_KEY.';
  const add = subcommand(crypto, 'add', 'add a synced crypto account to a book', key)
    .addOption(provider)
    .option('--address <address>', 'address of an Ethereum wallet: 0x and 40 hexadecimal digits')
    .option('--key-file <file>', 'file with the key of an exchange')
    .option('--name <text>', 'name of the account')
    .option('--json', 'print the result as a line of JSON');
  const list = subcommand(crypto, 'list', 'list the synced crypto accounts of a book')
    .description('List the synced crypto accounts of a book, as of their last refresh.')
    .option('--json', 'print a line of JSON for each account, with its balances');
  const remove = subcommand(crypto, 'remove', 'remove a synced crypto account')
    .description('Remove a synced crypto account with its balances and its key.')
    .argument('<id>', 'id of the account', (text) =>
      readId(text, 'a synced crypto account', 'coffer crypto list'),
    );
  perform(addBookOptions(add), context, addCryptoAccount);
  performOnBook(list, context, listAccounts);
  performOnBook(remove, context, removeAccount);
}

/** Adds a synced crypto account to a book. Sends no request to its provider. */
async function addCryptoAccount(options: AddOptions, context: CommandContext): Promise<void> {
  const { provider } = options;
  const display_name = readLabel('--name', options.name);
  const key = readSealingKey(context.environment);
  const credentials = await readCredentials(options, context);
  await withBook(options, context, async (database, book) => {
    const sealed_credentials = sealCredentials(key, book.id, credentials);
    const account = { provider, display_name, sealed_credentials };
    const id = await linkCryptoAccount(database, book.id, account);
    const sentence =
      `Added the ${provider} account ${id} to the book ${quote(book.name)}. ` +
      `Read its balances with POST /v2/crypto/synced/${id}/refresh`;
    const record = { id, provider, display_name, book_id: book.id };
    writeResult(context, options, record, sentence);
  });
}

async function listAccounts({ database, book, options, context }: OnBook<JsonOption>) {
  const accounts = await database.read(() => listCryptoAccounts(book.id));
  const records = accounts.map(cryptoRecord);
  const keys = ['id', 'provider', 'display_name', 'status', 'last_import', 'balances'] as const;
  writeList(records, 'There are no synced crypto accounts', options, context, keys);
}

async function removeAccount({ database, book, owner, context }: OnBook, id: number) {
  if (!(await unlinkCryptoAccount(database, book.id, id)))
    throw new Failure(`${owner} has no synced crypto account ${id}`);
  writeLine(context.stderr, `Removed the synced crypto account ${id}`);
}

/** The options for the credentials of an account. */
interface CredentialOptions {
  readonly provider: CryptoProvider;
  /** The address of a wallet. It is public, so it may be on the command line. */
  readonly address?: string;
  readonly keyFile?: string;
}

/** The input with a key, and the output for the prompt. */
type KeySource = Pick<CommandContext, 'stdin' | 'stderr'>;

/** Longer than any key. */
const maxKeyCharacters = 65_536;

/** The flag or the part of the input for each field of credentials. */
const places = {
  address: '--address',
  apiKey: 'The API key (first line)',
  keyName: 'The name of the key (first line, or "name")',
  privateKey: 'The private key (second line, or "privateKey")',
} as const;

/**
 * Reads the credentials of an account: an address from its flag, a key from a file or from standard input.
 *
 * A key is two lines. For Coinbase it can also be the JSON file of Coinbase. Throws {@link Misuse} with all problems,
 * which never quotes a key.
 */
export async function readCredentials(
  options: CredentialOptions,
  context: KeySource,
): Promise<CryptoCredentials> {
  const credentials = await giveCredentials(options, context);
  const problems = checkCredentials(credentials);
  if (problems.length === 0) return credentials;
  throw new Misuse(problems.map(({ field, message }) => `${places[field]}: ${message}`).join('\n'));
}

async function giveCredentials(
  options: CredentialOptions,
  context: KeySource,
): Promise<CryptoCredentials> {
  const { provider, address, keyFile } = options;
  if (provider === 'ethereum') {
    if (keyFile !== undefined) throw new Misuse('--key-file: a wallet has no key. Use --address');
    if (address === undefined) throw new Misuse('--address: the address of the wallet is missing');
    return { provider, address: address.trim() };
  }
  if (address !== undefined) throw new Misuse(`--address is for wallets, not for ${provider}`);
  const text = await readKeyText(keyFile, context);
  if (provider === 'kraken') {
    const [apiKey, privateKey] = twoLines(text);
    return { provider, apiKey, privateKey };
  }
  const [keyName, privateKey] = text.startsWith('{') ? coinbaseFile(text) : twoLines(text);
  return { provider, keyName, privateKey };
}

async function readKeyText(keyFile: string | undefined, context: KeySource) {
  const { stdin, stderr } = context;
  if (keyFile !== undefined) return readText(createReadStream(keyFile), quote(keyFile));
  if ('isTTY' in stdin && stdin.isTTY === true) {
    writeLine(stderr, 'Enter the key and its secret, one per line, then press Ctrl-D:');
  }
  return readText(stdin, 'Standard input');
}

async function readText(stream: Readable, name: string): Promise<string> {
  let text = '';
  for await (const chunk of stream.setEncoding('utf8')) {
    text += String(chunk);
    if (text.length > maxKeyCharacters) throw new Failure(`${name} is too long to be a key`);
  }
  return text.replace(/^\ufeff/, '').trim();
}

/** Returns the first line and all other lines, because a private key of Coinbase can have several lines. */
function twoLines(text: string): [first: string, rest: string] {
  const [first = '', ...rest] = text.split(/\r?\n/);
  if (rest.length > 0) return [first.trim(), rest.join('\n').trim()];
  throw new Misuse('Two lines are required: the key, then its secret');
}

function coinbaseFile(text: string): [name: string, privateKey: string] {
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch {
    // The message of the parser would quote the key.
    throw new Misuse('The key file of Coinbase is not valid JSON');
  }
  const { name, privateKey } = file as Readonly<Record<string, unknown>>;
  if (typeof name === 'string' && typeof privateKey === 'string') return [name, privateKey];
  throw new Misuse('The key file of Coinbase must have the strings "name" and "privateKey"');
}
