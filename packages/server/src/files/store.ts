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

/** A folder of this machine. */
interface FolderLocation {
  readonly kind: 'folder';
  readonly path: string;
}

/** A bucket of a server that speaks the protocol of Amazon S3. */
export interface S3Location {
  readonly kind: 's3';
  /** Such as `https://s3.example.org`, without a slash at the end. */
  readonly origin: string;
  readonly bucket: string;
  /** The beginning of all names, with a slash at the end; empty for the whole bucket. */
  readonly prefix: string;
  readonly region: string;
  readonly accessKey: string;
  readonly secretKey: string;
}

/** Where files are kept. */
export type FilesLocation = FolderLocation | S3Location;

const usage = 's3://KEY:SECRET@HOST/BUCKET?region=REGION';
const defaultRegion = 'us-east-1';

/**
 * Reads where files are kept: a path, a `file:` URL, or `s3://KEY:SECRET@HOST[:PORT]/BUCKET[/PREFIX][?region=REGION]`,
 * with `s3+http` for a server without TLS. Returns null for an empty text.
 *
 * Throws an Error for anything else, without quoting a secret.
 */
export function parseFilesLocation(text: string): FilesLocation | null {
  if (text === '') return null;
  if (/^s3(\+http)?:/.test(text)) return parseS3(text);
  if (text.startsWith('file:')) return { kind: 'folder', path: pathOf(text) };
  // A drive letter is not a scheme.
  const [, scheme] = /^([a-z][a-z0-9+.-]+):/i.exec(text) ?? [];
  if (scheme === undefined) return { kind: 'folder', path: text };
  throw new Error(`Cannot keep files at a URL of the kind "${scheme}": use a folder or ${usage}`);
}

function pathOf(text: string): string {
  const url = URL.parse(text);
  if (url?.host !== '') throw new Error(`Not the URL of a folder: "${text}"`);
  return decoded(url.pathname);
}

function parseS3(text: string): S3Location {
  // URLs with a scheme that the parser does not know may have no port.
  const scheme = text.startsWith('s3+http:') ? 'http:' : 'https:';
  const url = URL.parse(scheme + text.slice(text.indexOf(':') + 1));
  const [, bucket = '', ...names] = url?.pathname.replace(/\/$/, '').split('/') ?? [];
  const accessKey = decoded(url?.username ?? '');
  const secretKey = decoded(url?.password ?? '');
  if (url === null || accessKey === '' || secretKey === '')
    throw new Error(`Use a URL of the form ${usage}`);
  if (![bucket, ...names].every((name) => /^[\w-][\w.-]*$/.test(name)))
    throw new Error('The bucket and the names after it may have letters, digits and -._ only');
  const { region, ...others } = { region: defaultRegion, ...Object.fromEntries(url.searchParams) };
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw new Error(`Unknown parameter "${unknown}": use ${usage}`);
  if (!/^[\w-]+$/.test(region)) throw new Error(`Invalid region "${region}"`);
  const prefix = names.map((name) => `${name}/`).join('');
  return { kind: 's3', origin: url.origin, bucket, prefix, region, accessKey, secretKey };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error('Special characters of the URL must be percent-encoded');
  }
}
