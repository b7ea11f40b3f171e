import { randomBytes } from 'node:crypto';

/** The bytes of one file in a store. */
export interface StoredFile {
  readonly key: string;
  readonly modifiedAtMs: number;
}

/** A link from which a client can download a file until it expires. */
export interface Download {
  /** The name that the client saves it under. */
  readonly name: string;
  /** A media type. */
  readonly type: string;
  readonly nowMs: number;
  readonly expiresAtMs: number;
}

/**
 * Keeps the bytes of files by their key. The methods reject with {@link FileStoreError}, and with nothing else, when
 * the store fails. All throw an Error for a text that is not a key.
 */
export interface FileStore {
  /** Stores a file durably and completely, or not at all. */
  write(key: string, bytes: Uint8Array): Promise<void>;
  /** Returns the bytes of a file, or null if there is none with this key. */
  read(key: string): Promise<Uint8Array | null>;
  /** Returns the number of bytes of a file, or null if there is none with this key. */
  size(key: string): Promise<number | null>;
  /** Deletes a file; does nothing if there is none with this key. */
  remove(key: string): Promise<void>;
  /** Returns every file, in any order. Files that are written or deleted meanwhile may be missing. */
  list(): AsyncIterable<StoredFile>;
  /** Returns a link that the store itself serves; null for a store that serves none. */
  linkTo(key: string, download: Download): string | null;
}

/** The file store failed. The message is a sentence for the user, without secrets. */
export class FileStoreError extends Error {
  override name = 'FileStoreError';
}

const keyPattern = /^[1-9]\d{0,15}\/[0-9a-f]{32}(\.tmp)?$/;

/** Returns the key for a new file of a book: `7/0123…`, with 32 random hexadecimal digits. */
export function newKey(bookId: number): string {
  return `${bookId}/${randomBytes(16).toString('hex')}`;
}

/** Whether a text is a key: of {@link newKey}, or of a file that was not written completely. */
export function isKey(text: string): boolean {
  return keyPattern.test(text);
}

/** Returns the key. Throws for any other text, so that none can name another file. */
export function checkedKey(key: string): string {
  if (isKey(key)) return key;
  throw new Error(`Not the key of a file: ${JSON.stringify(key)}`);
}

/** A store for a server that has no place for files. */
export const noFileStore: FileStore = {
  write: refuse,
  read: refuse,
  size: refuse,
  remove: refuse,
  // eslint-disable-next-line @typescript-eslint/require-await
  async *list() {
    yield* [];
  },
  linkTo: () => null,
};

function refuse(): Promise<never> {
  return Promise.reject(new FileStoreError('This service has no place for files: set FILES_URL'));
}
