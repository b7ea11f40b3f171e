import { setImmediate } from 'node:timers/promises';
import { Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { tarEnd, tarHeader, tarPadding } from '@coffer/core/tar';
import sql from 'sql-template-tag';
import { now, type Engine, type Steps } from '../../db/engine.ts';
import { EarlierRows } from '../../book/as-of.ts';
import { schemaVersion } from '../../db/tables/migrations.ts';
import { find, select } from '../../db/rows.ts';
import type { BookTable, Row, Table, Values } from '../../db/table.ts';
import {
  connections,
  importOrigins,
  imports,
  importSettings,
  manualAccounts,
  plaidAccounts,
  recordedMonths,
  transactionFiles,
  transactions,
  users,
} from '../../db/tables/tables.ts';
import { readChecked } from '../../files/content.ts';
import type { FileStore } from '../../files/store.ts';
import { expectedContent } from '../../ledger/transactions/attachments/actions.ts';
import type { Book } from '../../operations/caller.ts';
import { versionAsOf } from '../../ledger/transactions/earlier/version.ts';
import * as format from './format.ts';
import type { ArchiveEnd, Manifest } from './format.ts';
import { beginVersion, bookAt, readLong, rowsOf, VersionRows } from '../lists/version-rows.ts';
import type { RowsOf, Start, Stretch } from '../lists/version-rows.ts';

/** An archive of a book. */
export interface BookArchive {
  readonly book: Book;
  /** When the export began: ISO 8601 in UTC. */
  readonly startedAt: string;
  /** The bytes of the archive. They can be read once. */
  readonly pieces: AsyncIterable<Uint8Array>;
}

/** An attached file whose content is lost or damaged. */
export interface MissingFile {
  readonly id: number;
  readonly name: string;
  /** Continues a sentence about the file. */
  readonly fault: string;
}

/** What of a book is archived, and where its files are. */
export interface ArchiveOptions {
  readonly files: FileStore;
  /** As for an export of transactions. */
  readonly asOf?: string | undefined;
  /** Called for each attached file whose content is lost or damaged. */
  readonly onMissing?: (file: MissingFile) => void;
}

const originsAtOnce = 1000;

const recordTables: readonly BookTable[] = format.archivedTables.filter(isOfBook);

/**
 * Returns a whole book with its attached files, as it is at one version. A book that was imported from the archive has
 * the same archive, byte for byte, if it has the same ids.
 *
 * Only a batch of records or one file is in memory. Errors as for an export; also a FileStoreError.
 */
export async function archiveBook(
  engine: Engine,
  bookId: number,
  options: ArchiveOptions,
): Promise<BookArchive> {
  const steps = () => begin(bookId, options.asOf);
  const begun = await (options.asOf === undefined ? engine.read(steps) : readLong(engine, steps));
  const pieces = compressed(tarOf(engine, begun, options));
  return { book: begun.book, startedAt: begun.startedAt, pieces };
}

/** Reads nothing before its first piece is taken. */
async function* compressed(
  pieces: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const tar = Readable.from(pieces);
  const gzip = createGzip();
  tar.on('error', (error) => gzip.destroy(error));
  try {
    yield* tar.pipe(gzip) as AsyncIterable<Uint8Array>;
  } finally {
    tar.destroy();
  }
}

interface Begun {
  readonly book: Book;
  readonly startedAt: string;
  readonly manifest: Manifest;
  readonly start: Start;
  readonly isEarlier: boolean;
  /** The rows of tables that are not in the change log. There are few. */
  readonly others: ReadonlyMap<Table, readonly Values[]>;
}

function* begin(bookId: number, asOf: string | undefined): Steps<Begun> {
  const at = yield* versionAsOf(bookId, asOf);
  const start = yield* beginVersion(bookId, at, recordTables);
  const { ids } = start.begun;
  const book = yield* bookAt(
    bookId,
    (table) => new EarlierRows(table, bookId, at.version, ids.get(table)!),
  );
  const owner = (yield* find(users, { id: book.userId }))!;
  const others = new Map<Table, readonly Values[]>([
    [imports, yield* importsAt(bookId, at.version)],
    [importSettings, yield* select(importSettings, { book_id: bookId })],
    [recordedMonths, yield* select(recordedMonths, { book_id: bookId })],
  ]);
  const manifest = {
    type: 'coffer book',
    format: format.archiveFormat,
    schema: schemaVersion,
    book: {
      id: book.id,
      name: book.name,
      primary_currency: book.primaryCurrency,
      version: Math.max(1, at.version),
    },
    owner: { id: owner.id, email: owner.email, name: owner.name },
  } as const;
  const isEarlier = at.version !== at.current;
  return { book, startedAt: yield* now(), manifest, start, isEarlier, others };
}

/** The imports up to a version; an import that was undone later is not undone yet. */
function* importsAt(bookId: number, version: number): Steps<Row<typeof imports>[]> {
  const and = sql`(version IS NULL OR version <= ${version})`;
  const found = yield* select(imports, { book_id: bookId, is_preview: false }, { and });
  return found.map((each) => ({
    ...each,
    undone_version: (each.undone_version ?? 0) > version ? null : each.undone_version,
  }));
}

async function* tarOf(
  engine: Engine,
  begun: Begun,
  options: ArchiveOptions,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { manifest, start, others } = begun;
  yield* entry(format.manifestName, `${JSON.stringify(manifest)}\n`);
  const rows = new VersionRows(engine, start);
  const records = new Records();
  const known: Known = new Map(
    [imports, connections, manualAccounts, plaidAccounts].map((table) => [table, new Set()]),
  );
  let files = 0;
  for (const table of format.archivedTables) {
    const batches = isOfBook(table)
      ? rows.batchesOf(table, (stretch, at) => recordsOf(table, begun.book.id, stretch, at))
      : table === importOrigins
        ? originsOf(engine, begun, known)
        : [others.get(table)!];
    for await (const batch of batches) {
      for (const row of batch) {
        known.get(table)?.add(row['id']);
        if (table === transactionFiles) {
          const file = row as Row<typeof transactionFiles>;
          const content = await contentOf(engine, file, options);
          if (content !== null) {
            yield* records.rest();
            yield* entry(format.contentName(row['id'] as number), content);
            files += 1;
          }
        }
        yield* records.add(table, withoutMissing(table, row, known));
      }
      // SQLite reads without waiting: others have their turn here.
      await setImmediate();
    }
  }
  yield* records.rest();
  const end: ArchiveEnd = { records: records.counts, files };
  yield* entry(format.endName, `${JSON.stringify(end)}\n`);
  yield tarEnd;
}

function isOfBook(table: Table): table is BookTable {
  return table.of === 'book';
}

/** The ids of the records of some tables that the archive has. */
type Known = ReadonlyMap<Table, Set<unknown>>;

function isMissing(id: unknown, table: Table, known: Known): boolean {
  return id !== null && !known.get(table)!.has(id);
}

/** Without the references that may name what no longer exists. */
function withoutMissing(table: Table, row: Values, known: Known): Values {
  if (
    (table === transactions || table === importOrigins) &&
    isMissing(row['import_id'], imports, known)
  )
    return { ...row, import_id: null };
  if (table === plaidAccounts && isMissing(row['connection_id'], connections, known))
    return { ...row, connection_id: null };
  return row;
}

/**
 * Yields what files and banks had said of transactions, in batches, without that of accounts which the archive does not
 * have. It has no version: an archive of an earlier state has only what its own imports had said.
 */
async function* originsOf(
  engine: Engine,
  { book, isEarlier }: Begun,
  known: Known,
): AsyncGenerator<readonly Values[], void, undefined> {
  for (let after = 0; ;) {
    const and = sql`transaction_id > ${after}`;
    const options = { and, limit: originsAtOnce };
    const rows = await engine.read(() => select(importOrigins, { book_id: book.id }, options));
    yield rows.filter(
      (row) =>
        !isMissing(row.manual_account_id, manualAccounts, known) &&
        !isMissing(row.plaid_account_id, plaidAccounts, known) &&
        !(isEarlier && (row.import_id === null || isMissing(row.import_id, imports, known))),
    );
    if (rows.length < originsAtOnce) return;
    after = rows.at(-1)!.transaction_id;
  }
}

/** The records of a stretch. Of forms and transfers, those of transactions that exist; others are of no use. */
function* recordsOf(
  table: BookTable,
  bookId: number,
  stretch: Stretch,
  at: RowsOf,
): Steps<readonly Values[]> {
  const all = yield* rowsOf(table, bookId, stretch, at);
  const columns = Object.keys(table.columns).filter(
    (name) => table.columns[name]!.formerly === transactions.name,
  );
  if (columns.length === 0) return all;
  const idsOf = (each: Values) => columns.map((name) => each[name] as number);
  const found = yield* at(transactions).withIds([...new Set(all.flatMap(idsOf))]);
  const existing = new Set(found.map(({ id }) => id));
  return all.filter((each) => idsOf(each).every((id) => existing.has(id)));
}

async function contentOf(
  engine: Engine,
  { id, book_id, name, size, storage_key: key }: Row<typeof transactionFiles>,
  { files, onMissing }: ArchiveOptions,
): Promise<Uint8Array | null> {
  if (key === null) return null;
  const content = await engine.readStatement(() => expectedContent(book_id, key));
  const found = await readChecked(files, { key, kilobytes: size, content });
  if (typeof found !== 'string') return found;
  onMissing?.({ id, name, fault: found });
  return null;
}

/** Collects records into files of an archive. */
class Records {
  readonly counts: Record<string, number> = {};
  readonly #columns = new Map<Table, readonly string[]>();
  #lines: Buffer[] = [];
  #bytes = 0;
  #files = 0;

  *add(table: Table, row: Values): Generator<Uint8Array> {
    const values: Record<string, unknown> = {};
    for (const column of this.#carried(table)) values[column] = row[column];
    const line = Buffer.from(`${JSON.stringify({ table: table.name, row: values })}\n`);
    this.#lines.push(line);
    this.#bytes += line.length;
    this.counts[table.name] = (this.counts[table.name] ?? 0) + 1;
    if (this.#bytes >= format.recordsBytes) yield* this.rest();
  }

  #carried(table: Table): readonly string[] {
    let columns = this.#columns.get(table);
    if (columns === undefined) {
      columns = Object.keys(table.columns).filter((column) => format.isCarried(table, column));
      this.#columns.set(table, columns);
    }
    return columns;
  }

  /** Ends the file that was begun. */
  *rest(): Generator<Uint8Array> {
    if (this.#bytes === 0) return;
    const content = Buffer.concat(this.#lines);
    this.#lines = [];
    this.#bytes = 0;
    yield* entry(format.recordsName((this.#files += 1)), content);
  }
}

function* entry(name: string, content: string | Uint8Array): Generator<Uint8Array> {
  const bytes = Buffer.from(content);
  yield tarHeader({ name, size: bytes.length });
  yield bytes;
  yield new Uint8Array(tarPadding(bytes.length));
}
