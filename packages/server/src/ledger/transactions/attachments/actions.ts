import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Change } from '../../../book/change.ts';
import { insertUnlessTaken } from '../../../book/unlogged.ts';
import type { Steps } from '../../../db/engine.ts';
import { find } from '../../../db/rows.ts';
import type { Row } from '../../../db/table.ts';
import { databaseIdentity, storedFiles, transactionFiles } from '../../../db/tables/tables.ts';
import { kilobytes, type ExpectedFile, type FileContent } from '../../../files/content.ts';
import { FileStoreError } from '../../../files/store.ts';
import { Problem } from '../../../operations/problem.ts';
import type { CheckedFile, FileLink } from './rules.ts';

export type FileRow = Row<typeof transactionFiles>;

/** A file whose bytes are in the file store. */
export interface NewAttachment {
  readonly transactionId: number;
  readonly uploadedBy: number;
  readonly file: Omit<CheckedFile, 'bytes'>;
  readonly key: string;
  readonly content: FileContent;
}

/** Attaches a file, whose bytes are stored already, to a transaction of the book. */
export function* attachFile(
  change: Change,
  { transactionId, uploadedBy, file, key, content }: NewAttachment,
): Steps<FileRow> {
  const { name, type, notes } = file;
  yield* noteContent(change.bookId, key, content);
  return yield* change.insert(transactionFiles, {
    transaction_id: transactionId,
    uploaded_by: uploadedBy,
    name,
    type,
    notes,
    size: kilobytes(content.bytes),
    storage_key: key,
  });
}

/** Notes what the bytes under a key must be, unless that is known. */
export function* noteContent(
  book_id: number,
  storage_key: string,
  { bytes, sha256 }: FileContent,
): Steps<void> {
  yield* insertUnlessTaken(storedFiles, { book_id, storage_key, bytes, sha256 });
}

/** A file to send. */
export interface LinkedFile extends ExpectedFile {
  readonly id: number;
  readonly name: string;
  readonly type: string;
}

/** Returns the signature of a link to a file that is stored under `key`. */
export function* signatureOf(link: Omit<FileLink, 'signature'>, key: string): Steps<string> {
  const secret = yield* find(databaseIdentity, { name: 'file_links' });
  if (secret === undefined) throw new Error('The database has no key for links to files');
  const { bookId, id, expiresAtMs } = link;
  const text = ['file', bookId, id, expiresAtMs, key].join(' ');
  return createHmac('sha256', secret.value).update(text).digest('base64url');
}

/** Returns the file of a link; null if the signature is wrong or the file was deleted. Does not check the time. */
export function* fileOfLink(link: FileLink): Steps<LinkedFile | null> {
  const row = yield* find(transactionFiles, { book_id: link.bookId, id: link.id });
  if (row === undefined || row.storage_key === null) return null;
  const expected = Buffer.from(yield* signatureOf(link, row.storage_key));
  const received = Buffer.from(link.signature);
  if (received.length !== expected.length || !timingSafeEqual(received, expected)) return null;
  const content = yield* expectedContent(row.book_id, row.storage_key);
  const { id, name, type, size, storage_key: key } = row;
  return { id, key, name, type, kilobytes: size, content };
}

/** Returns what the bytes under a key must be; null if that is not known yet. */
export function* expectedContent(bookId: number, storage_key: string): Steps<FileContent | null> {
  return (yield* find(storedFiles, { book_id: bookId, storage_key })) ?? null;
}

/** Returns the problem of a file whose bytes are lost or damaged; `fault` continues a sentence about it. */
export function lostFile(id: number, fault: string): Problem {
  const errMsg = `The bytes of attachment ${id} are lost: the stored file ${fault}`;
  return new Problem('fileLost', { details: [{ errMsg }] });
}

/** Converts a failure of the file store to a response that says that the request may succeed later. */
export async function orUnavailable<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof FileStoreError)) throw error;
    throw new Problem('unavailable', { details: [{ errMsg: error.message }], cause: error });
  }
}
