import { readEncryptionKey, sealCredentials, settings } from '@coffer/server';
import { readCredentials } from './crypto-credentials.ts';
import type { CredentialOptions } from './crypto-credentials.ts';
import { Misuse } from './failure.ts';
import { findBook } from './find-book.ts';
import type { BookOptions } from './find-book.ts';
import { withExistingStore } from './open-database.ts';
import type { DatabaseOptions } from './open-database.ts';
import { quote } from './printable.ts';
import { writeLine } from './surroundings.ts';
import type { Surroundings } from './surroundings.ts';

/** What `coffer crypto add` is told. */
export interface AddOptions extends DatabaseOptions, BookOptions, CredentialOptions {
  readonly name?: string;
  readonly json?: true;
}

const maxNameLength = 100;

/** Adds a synced crypto account to a book. Nothing is asked of the provider yet. */
export async function addCryptoAccount(
  options: AddOptions,
  surroundings: Surroundings,
): Promise<void> {
  const { provider } = options;
  const displayName = readDisplayName(options.name);
  const key = readKey(surroundings.environment);
  const credentials = await readCredentials(options, surroundings);
  const nowIso = surroundings.now().toISOString();
  const { id, book } = await withExistingStore(options, surroundings, async (store) => {
    const book = await findBook(store, options);
    const sealedCredentials = await sealCredentials(key, book.id, credentials);
    const account = { provider, displayName, sealedCredentials, nowIso };
    return { id: await store.createCryptoAccount(book.id, account), book };
  });
  const sentence =
    `Added the ${provider} account ${id} to the book ${quote(book.name)}; ` +
    `POST /v2/crypto/synced/${id}/refresh reads it`;
  const record = { id, provider, display_name: displayName, book_id: book.id };
  writeLine(surroundings.stdout, options.json === true ? JSON.stringify(record) : sentence);
}

function readKey(environment: Surroundings['environment']): Uint8Array {
  const { variable } = settings.encryptionKey;
  let key: Uint8Array | null;
  try {
    key = readEncryptionKey(environment[variable] ?? '');
  } catch (error) {
    throw new Misuse(`${variable}: ${(error as Error).message}`);
  }
  if (key !== null) return key;
  throw new Misuse(
    `${variable} is not set, and credentials are stored sealed only. Make a key by "openssl rand -hex 32", ` +
      'keep it where backups of the database are not, and set it here and for "coffer serve"',
  );
}

function readDisplayName(text: string | undefined): string | null {
  const name = text?.trim() ?? '';
  if ([...name].length > maxNameLength || /\p{Cc}/u.test(name)) {
    throw new Misuse(`--name: at most ${maxNameLength} characters on one line are taken`);
  }
  return name === '' ? null : name;
}
