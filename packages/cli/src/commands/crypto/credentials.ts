import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { checkCredentials } from '@coffer/server';
import type { CryptoCredentials, CryptoProvider } from '@coffer/server';
import { writeLine } from '../../context.ts';
import type { CommandContext } from '../../context.ts';
import { Failure, Misuse } from '../../failure.ts';
import { quote } from '../../terminal/format.ts';

/** How the credentials of an account are given. */
export interface CredentialOptions {
  readonly provider: CryptoProvider;
  /** Of a wallet: public, so it may stand on the command line. */
  readonly address?: string;
  readonly keyFile?: string;
}

/** Where a key is read from, and where the prompt is written. */
type KeySource = Pick<CommandContext, 'stdin' | 'stderr'>;

/** More than the length of any key. */
const maxKeyCharacters = 65_536;

/** The flag or the part of the input that each problem of credentials is about. */
const places = {
  address: '--address',
  apiKey: 'The API key (first line)',
  keyName: 'The name of the key (first line, or "name")',
  privateKey: 'The private key (second line, or "privateKey")',
} as const;

/**
 * Reads the credentials of an account: an address from its flag, a key from a file or from standard input.
 *
 * A key is two lines, or for Coinbase also the JSON file that Coinbase hands out. Throws {@link Misuse} with all that
 * is wrong, which never quotes a key.
 */
export async function readCredentials(
  options: CredentialOptions,
  context: KeySource,
): Promise<CryptoCredentials> {
  const credentials = await giveCredentials(options, context);
  const problems = await checkCredentials(credentials);
  if (problems.length === 0) return credentials;
  throw new Misuse(problems.map(({ field, message }) => `${places[field]}: ${message}`).join('\n'));
}

async function giveCredentials(
  options: CredentialOptions,
  context: KeySource,
): Promise<CryptoCredentials> {
  const { provider, address, keyFile } = options;
  if (provider === 'ethereum') {
    if (keyFile !== undefined)
      throw new Misuse('--key-file: a wallet needs no key, only --address');
    if (address === undefined) throw new Misuse('--address: say which address is to be watched');
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
    writeLine(stderr, 'Enter the key and its secret, a line each, and then Ctrl-D:');
  }
  return readText(stdin, 'The standard input');
}

async function readText(stream: Readable, name: string): Promise<string> {
  let text = '';
  for await (const chunk of stream.setEncoding('utf8')) {
    text += String(chunk);
    if (text.length > maxKeyCharacters) throw new Failure(`${name} is too long to be a key`);
  }
  return text.replace(/^\ufeff/, '').trim();
}

/** The first line, and all others: the key of Coinbase can be a text of several lines. */
function twoLines(text: string): [first: string, rest: string] {
  const [first = '', ...rest] = text.split(/\r?\n/);
  if (rest.length > 0) return [first.trim(), rest.join('\n').trim()];
  throw new Misuse('Two lines are needed: the key, and then its secret');
}

function coinbaseFile(text: string): [name: string, privateKey: string] {
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch {
    // The message of the parser quotes the text.
    throw new Misuse('The key file of Coinbase begins like JSON, and is not');
  }
  const { name, privateKey } = file as Readonly<Record<string, unknown>>;
  if (typeof name === 'string' && typeof privateKey === 'string') return [name, privateKey];
  throw new Misuse('The key file of Coinbase must have the texts "name" and "privateKey"');
}
