import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { checkCredentials } from '@coffer/server';
import type { CryptoCredentials, CryptoProvider } from '@coffer/server';
import { writeLine } from '../../terminal/context.ts';
import type { CommandContext } from '../../terminal/context.ts';
import { Failure, Misuse } from '../../terminal/failure.ts';
import { quote } from '../../terminal/format.ts';

/** The options for the credentials of an account. */
export interface CredentialOptions {
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
