import sql from 'sql-template-tag';
import { Change } from '../../book/change.ts';
import { parentsFirst } from '../../book/references.ts';
import { insertAllUnlogged, insertUnlogged, updateUnlogged } from '../../book/unlogged.ts';
import { idBlock } from '../../db/dialect.ts';
import { context, dialectOf, now, run, type Engine, type Steps } from '../../db/engine.ts';
import { isDatabaseError } from '../../db/errors.ts';
import { find, rowAs } from '../../db/rows.ts';
import { integer, nullable } from '../../db/table.ts';
import type { BookTable, Row, Table, Values } from '../../db/table.ts';
import {
  books,
  categories,
  imports,
  manualAccounts,
  storedFiles,
  transactions,
  users,
} from '../../db/tables/tables.ts';
import { contentOf } from '../../files/content.ts';
import { newKey, type FileStore } from '../../files/store.ts';
import { importWorkMs, lockedBooksOf, withName } from '../../identity/users/actions.ts';
import type { Book } from '../../operations/caller.ts';
import { removeAbandoned, removeIncomplete } from '../../maintenance/user-removal.ts';
import { examineArchive, type ExaminedArchive, type Numbering } from './examine.ts';
import {
  archivedTables,
  deletedAccounts,
  deletedOf,
  deletedTransactions,
  isNumbered,
  namesDeleted,
  referenceOf,
  userColumns,
} from './format.ts';
import type { NotCarried } from './format.ts';
import { ArchiveError, readArchive } from './read-archive.ts';

const rowsAtOnce = 1000;
/** Many rows in one statement would be too much for columns of a megabyte. */
const bytesAtOnce = 4 * 2 ** 20;

/** Where a book is imported to. */
export interface ImportTarget {
  readonly engine: Engine;
  readonly files: FileStore;
  /** The user who gets the book; null to create the owner of the archive in a database that has no users. */
  readonly userId: number | null;
  /** The name of the book. Default: as in the archive. */
  readonly name?: string | undefined;
  /** The e-mail address of a user who is created. Default: as in the archive. */
  readonly email?: string | undefined;
  /** Called with how many records are written, and of how many. */
  readonly onProgress?: (done: number, total: number) => void;
  /** If it is aborted, everything is removed and its reason is thrown. */
  readonly signal?: AbortSignal;
}

/** A book that was imported. */
export interface ImportedBook {
  readonly id: number;
  readonly name: string;
  readonly userId: number;
  readonly email: string;
  /** Whether the records have the ids of the archive. */
  readonly hasSameIds: boolean;
  readonly records: Readonly<Record<string, number>>;
  readonly files: number;
  readonly notCarried: readonly NotCarried[];
}

/**
 * Imports the book of an archive, whole or not at all. First the whole archive is read and checked. Then its records
 * are written in short transactions to a book that nobody sees, which appears with the last one. What a process left
 * that was killed is removed by the next import, or by a job of the server.
 *
 * A database without users gets the owner of the archive, and keeps all ids. Otherwise all records get new ids, and
 * what names a user names the new owner. Throws an {@link ArchiveError}, also if the user has a book of that name, and
 * a FileStoreError.
 */
export async function importBook(path: string, target: ImportTarget): Promise<ImportedBook> {
  const archive = await examineArchive(path);
  const { engine, files } = target;
  await removeAbandoned(engine, { files });
  const book = await engine.write(() => begin(archive, target));
  const writing = new Writing(archive, target, book);
  try {
    await writing.run(path);
    const { name, email } = await engine.write(() => finish(book));
    return {
      id: book.id,
      name,
      userId: book.userId,
      email,
      hasSameIds: book.hasSameIds,
      records: archive.records,
      files: archive.files,
      notCarried: notCarriedBy(archive),
    };
  } catch (error) {
    // The last transaction may be stored.
    if (!(isDatabaseError(error) && error.mayBeStored))
      // The server or the next import removes what is left.
      await removeIncomplete(engine, book.id, { files }).catch(() => undefined);
    throw isDatabaseError(error, 'refused') ? refused(error) : error;
  }
}

function refused(cause: Error): ArchiveError {
  return new ArchiveError(`The database refused its records: ${cause.message}`, { cause });
}

/** The book that is being written. */
interface NewBook {
  readonly id: number;
  readonly userId: number;
  readonly version: number;
  readonly hasSameIds: boolean;
  readonly at: string;
}

function* begin(
  { manifest, numbers }: ExaminedArchive,
  { userId: knownUserId, name = manifest.book.name, email = manifest.owner.email }: ImportTarget,
): Steps<NewBook> {
  const at = yield* now();
  const hasSameIds = knownUserId === null;
  if (hasSameIds) yield* takeIds(manifest, numbers);
  const { id: ownId, name: ownName } = manifest.owner;
  const userId =
    knownUserId ??
    (yield* insertUnlogged(users, { id: ownId, email, name: ownName, created_at: at })).id;
  refuseTaken(yield* lockedBooksOf(userId), name);
  const { version, primary_currency } = manifest.book;
  const { id } = yield* insertUnlogged(books, {
    ...(hasSameIds && { id: manifest.book.id }),
    user_id: userId,
    name,
    primary_currency,
    created_at: at,
    changed_at: at,
    // Its history begins here.
    version,
    pruned_version: version,
    derived_version: version,
    hidden_counts_version: version,
    activity_version: version,
    account_days_version: version,
    incomplete_until_ms: yield* workEnd(),
  });
  return { id, userId, version, hasSameIds, at };
}

/** Takes the ids of an archive in a database without users. Nobody else gets one of them from now on. */
function* takeIds(
  { book, owner }: ExaminedArchive['manifest'],
  numbers: ExaminedArchive['numbers'],
): Steps<void> {
  if ((yield* rowAs({ id: integer }, sql`SELECT id FROM users LIMIT 1`)) !== undefined)
    throw new ArchiveError(
      'Another book is being imported to this database, or removed: try again later',
    );
  const last = [...numbers].map(([name, { last }]) => [name, last] as const);
  const { raiseIds } = yield* dialectOf();
  for (const [name, id] of [...last, ['users', owner.id], ['books', book.id]] as const)
    if (id > 0) {
      const deleted = [transactions, manualAccounts].find((each) => deletedOf(each.name) === name);
      for (const statement of raiseIds(deleted?.name ?? name, id)) yield* run(statement);
    }
}

/** Makes the book visible. */
function* finish({ id, userId }: NewBook): Steps<{ name: string; email: string }> {
  const others = yield* lockedBooksOf(userId);
  const book = yield* find(books, { id });
  if (book === undefined || book.incomplete_until_ms === null) throw removed();
  refuseTaken(others, book.name);
  yield* updateUnlogged(books, { id }, { incomplete_until_ms: null });
  return { name: book.name, email: (yield* find(users, { id: userId }))!.email };
}

function refuseTaken(others: readonly Book[], name: string): void {
  const taken = withName(others, name);
  if (taken === undefined) return;
  const hint = 'Give the imported one another name with --name';
  throw new ArchiveError(`The user already has a book "${taken.name}". ${hint}`);
}

function removed(): ArchiveError {
  return new ArchiveError('The book was removed while it was imported: try again');
}

/** Writes the records of an archive to a new book. */
class Writing {
  readonly #archive: ExaminedArchive;
  readonly #target: ImportTarget;
  readonly #book: NewBook;
  /** The stored file of the next record of an attached file. */
  #file: Row<typeof storedFiles> | null = null;
  /** What the stored files of the next records must be. */
  #contents: Row<typeof storedFiles>[] = [];
  #table: Table = archivedTables[0]!;
  #rows: Values[] = [];
  #bytes = 0;
  #done = 0;

  constructor(archive: ExaminedArchive, target: ImportTarget, book: NewBook) {
    this.#archive = archive;
    this.#target = target;
    this.#book = book;
  }

  async run(path: string): Promise<void> {
    const { files, signal } = this.#target;
    if (!this.#book.hasSameIds) {
      for (const name of [transactions.name, deletedTransactions]) await this.#reserveIds(name);
      await this.#reserveAccounts();
    }
    for await (const part of readArchive(path)) {
      signal?.throwIfAborted();
      if ('manifest' in part) continue;
      if ('fileId' in part) {
        const { id: book_id } = this.#book;
        this.#file = { book_id, storage_key: newKey(book_id), ...contentOf(part.content) };
        await files.write(this.#file.storage_key, part.content);
        continue;
      }
      if (part.table !== this.#table) await this.#write();
      this.#table = part.table;
      this.#add(part.row, part.place);
      // Categories may come before their groups, so they are written together. There are few.
      if (this.#table === categories) continue;
      if (this.#rows.length >= rowsAtOnce || this.#bytes > bytesAtOnce) await this.#write();
    }
    await this.#write();
  }

  /** Reserves new ids for all transactions, which name each other in both directions. */
  async #reserveIds(name: string): Promise<void> {
    const numbers = this.#archive.numbers.get(name)!;
    for (let place = 0; place < numbers.length;) {
      const first = await this.#target.engine.write(function* () {
        return (yield* rowAs({ first: integer }, (yield* dialectOf()).reserveIds))!.first;
      });
      place = numbers.setFrom(place, first, idBlock);
    }
  }

  /** Reserves a new id for each deleted account, which no account has or gets. */
  async #reserveAccounts(): Promise<void> {
    const numbers = this.#archive.numbers.get(deletedAccounts)!;
    for (let place = 0; place < numbers.length;) {
      const id = await this.#target.engine.write(function* () {
        const { reserveId } = yield* dialectOf();
        return (yield* rowAs({ id: integer }, reserveId(manualAccounts.name)))!.id;
      });
      place = numbers.setFrom(place, id, 1);
    }
  }

  #add(row: Values, place: string): void {
    const table = this.#table;
    const added: Record<string, unknown> = { ...row };
    if (table.name === 'transaction_files') {
      added['storage_key'] = this.#file?.storage_key ?? null;
      if (this.#file !== null) this.#contents.push(this.#file);
      this.#file = null;
    }
    if (table === imports) added['actor'] = 'command';
    if (table.of === 'server') added['book_id'] = this.#book.id;
    for (const [name, { placeholder }] of Object.entries(table.columns))
      if (placeholder !== undefined) added[name] = placeholder;
    if (!this.#book.hasSameIds) this.#relabel(table, added, place);
    this.#rows.push(added);
    for (const value of Object.values(row))
      if (typeof value === 'string') this.#bytes += value.length;
  }

  /** Gives the new ids to a row, except its own if the database assigns it. */
  #relabel(table: Table, row: Record<string, unknown>, place: string): void {
    const { numbers } = this.#archive;
    const newId = (column: string, name: string, id: number): number => {
      const isLeft = namesDeleted(table, column, name);
      const deleted = isLeft ? numbers.get(deletedOf(name))?.newId(id) : undefined;
      const found = deleted ?? numbers.get(name)?.newId(id);
      if (found === undefined)
        throw new ArchiveError(`${place}: there is no ${id} of ${name}: the archive has changed`);
      return found;
    };
    for (const [column, { named }] of Object.entries(table.columns)) {
      const value = row[column];
      if (value === null || value === undefined) continue;
      const to = referenceOf(table, column);
      // A group of the same table is known when the row is written.
      if (to !== undefined && (to !== table.name || table === transactions))
        row[column] = newId(column, to, value as number);
      if (named !== undefined)
        row[column] = named.relabel(value as string, (name, id) => newId(column, name, id));
      if (userColumns.includes(column)) row[column] = this.#book.userId;
    }
    if (table === transactions) row['id'] = newId('id', table.name, row['id'] as number);
  }

  async #write(): Promise<void> {
    const { engine, onProgress } = this.#target;
    const table = this.#table;
    const rows = this.#rows.splice(0);
    this.#bytes = 0;
    if (rows.length === 0) return;
    const numbers = this.#archive.numbers.get(table.name);
    // Only rows of their own table are in levels; they are few.
    const levels = table === categories ? parentsFirst(categories, rows) : [rows];
    for (const level of levels) {
      const ids = await engine.write(() => this.#insert(table, level, numbers));
      for (const [old, id] of ids) numbers!.set(old, id);
    }
    this.#done += rows.length;
    const total = Object.values(this.#archive.records).reduce((sum, each) => sum + each, 0);
    onProgress?.(this.#done, total);
  }

  /** Inserts rows without the change log, of which the book has nothing. Returns the new ids by the old ones. */
  *#insert(
    table: Table,
    rows: readonly Values[],
    numbers: Numbering | undefined,
  ): Steps<(readonly [old: number, id: number])[]> {
    const { id: bookId, version, at, hasSameIds } = this.#book;
    yield* keepAlive(bookId);
    yield* insertAllUnlogged(storedFiles, this.#contents.splice(0));
    const change = new Change(bookId, version, at);
    const isAssigned = !hasSameIds && isNumbered(table) && table !== transactions;
    const ids: (readonly [number, number])[] = [];
    if (!isAssigned) yield* insertAll(change, table, rows);
    else
      for (const { id, ...row } of rows) {
        const own =
          table === categories && row['group_id'] !== null ? ownGroup(row, numbers!) : row;
        ids.push([id as number, yield* insertOne(change, table, own)]);
      }
    yield* change.updateDerived();
    return ids;
  }
}

function ownGroup(row: Values, numbers: Numbering): Values {
  return { ...row, group_id: numbers.newId(row['group_id'] as number) };
}

function* insertAll(change: Change, table: Table, rows: readonly Values[]): Steps<void> {
  if (table.of === 'book') yield* change.insertAll(table as BookTable, rows);
  else yield* insertAllUnlogged(table as Table<'server'>, rows);
}

function* insertOne(change: Change, table: Table, row: Values): Steps<number> {
  const inserted =
    table.of === 'book'
      ? yield* change.insert(table as BookTable, row)
      : yield* insertUnlogged(table as Table<'server'>, row);
  return (inserted as { readonly id: number }).id;
}

/** Says that somebody works on the book. Throws if it was removed as abandoned. */
function* keepAlive(id: number): Steps<void> {
  const { lockingRows } = yield* dialectOf();
  const book = yield* rowAs(
    { until: nullable(integer) },
    sql`SELECT incomplete_until_ms AS until FROM books WHERE id = ${id} ${lockingRows}`,
  );
  if ((book?.until ?? null) === null) throw removed();
  yield* updateUnlogged(books, { id }, { incomplete_until_ms: yield* workEnd() });
}

function* workEnd(): Steps<number> {
  return Math.floor((yield* context()).nowMs) + importWorkMs;
}

function notCarriedBy({ records, withoutContent }: ExaminedArchive): NotCarried[] {
  const count = (table: string): number => records[table] ?? 0;
  const all: readonly (NotCarried & { readonly isMissing?: boolean })[] = [
    {
      what: 'history',
      reason: 'an archive has one state of a book, so the history and undo begin with the import',
    },
    {
      what: 'access tokens, sessions, passwords and passkeys',
      reason: 'they open the database that they were made for',
    },
    { what: 'webhooks', reason: 'their secrets and their positions belong to the other database' },
    {
      what: 'account numbers of banks',
      reason: 'they are stored as hashes with a key of the other database; imports ask again',
    },
    {
      what: 'exchange rates, prices, and assets that users added',
      reason: 'a database has them once, for all its books',
    },
    {
      what: 'credentials of connections to banks',
      reason: 'they are encrypted with a key of the other server: add the connections again',
      isMissing: count('connections') > 0,
    },
    {
      what: 'credentials of synced crypto accounts',
      reason: 'they are encrypted with a key of the other server: link the accounts again',
      isMissing: count('crypto_synced_accounts') > 0,
    },
    {
      what: `the content of ${withoutContent} attached ${withoutContent === 1 ? 'file' : 'files'}`,
      reason: 'the archive does not have it: it was missing when the archive was made',
      isMissing: withoutContent > 0,
    },
  ];
  return all
    .filter(({ isMissing = true }) => isMissing)
    .map(({ what, reason }) => ({ what, reason }));
}
