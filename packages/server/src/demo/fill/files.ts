import type { Change } from '../../book/change.ts';
import type { Steps } from '../../db/engine.ts';
import { find } from '../../db/rows.ts';
import { books, transactionFiles, transactions } from '../../db/tables/tables.ts';
import { contentOf, kilobytes } from '../../files/content.ts';
import { FileStoreError, newKey } from '../../files/store.ts';
import type { FileStore } from '../../files/store.ts';
import { noteContent } from '../../ledger/transactions/attachments/actions.ts';
import type { DemoFile } from '../book/demo-book.ts';

/** A file whose bytes are in the file store. */
export interface StoredFile {
  readonly file: DemoFile;
  readonly key: string;
}

/** The files that were stored: all of them, or none because of a problem. */
interface StoredFiles {
  readonly stored: readonly StoredFile[];
  readonly problem: FileStoreError | null;
}

/**
 * Stores the bytes of files of a book, before the records that refer to them. The service deletes what no record refers
 * to.
 */
export async function storeFiles(
  store: FileStore | undefined,
  bookId: number,
  files: readonly DemoFile[],
): Promise<StoredFiles> {
  const stored: StoredFile[] = [];
  try {
    for (const file of store === undefined ? [] : files) {
      const key = newKey(bookId);
      await store!.write(key, file.bytes);
      stored.push({ file, key });
    }
  } catch (error) {
    if (error instanceof FileStoreError) return { stored: [], problem: error };
    throw error;
  }
  return { stored, problem: null };
}

/** Attaches stored files to transactions, on the days of these. */
export function* attachFiles(
  change: Change,
  stored: readonly StoredFile[],
  transactionIds: readonly number[],
): Steps<void> {
  const { bookId: book_id } = change;
  const book = yield* find(books, { id: book_id });
  for (const { file, key } of stored) {
    const id = transactionIds[file.transaction]!;
    const transaction = yield* find(transactions, { book_id, id });
    const content = contentOf(file.bytes);
    yield* noteContent(book_id, key, content);
    yield* change.insert(transactionFiles, {
      transaction_id: id,
      uploaded_by: book!.user_id,
      name: file.name,
      type: 'application/pdf',
      size: kilobytes(content.bytes),
      notes: file.notes,
      created_at: transaction!.created_at,
      storage_key: key,
    });
  }
}
