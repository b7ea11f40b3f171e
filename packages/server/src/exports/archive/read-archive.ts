import { createReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';
import { readTarHeader, TAR_BLOCK, tarPadding, TarError } from '@coffer/core/tar';
import { isStorable, quote } from '@coffer/core/text';
import { schemaVersion } from '../../db/tables/migrations.ts';
import type { Table, Values, Column } from '../../db/table.ts';
import { isCurrencyCode } from '../../operations/currencies.ts';
import { maxUploadBytes } from '../../operations/upload.ts';
import * as format from './format.ts';
import { isCarried, referenceOf, type Manifest } from './format.ts';
import { isCalendarDate, isDateTime } from '@coffer/core/dates';

/** Why a file cannot be imported as a book; a sentence for people. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError';
}

/** A part of an archive. */
type ArchivePart =
  | { readonly manifest: Manifest }
  | { readonly table: Table; readonly row: Values; readonly place: string }
  | { readonly fileId: number; readonly content: Buffer };

/** Limits of what is in memory, and of what a small file can expand to. */
const limits = {
  jsonBytes: 65_536,
  recordsBytes: 64 * 2 ** 20,
  freeBytes: 64 * 2 ** 20,
  /** Records have at most a thirtieth of their length when they are compressed, usually. */
  ratio: 300,
};

const tables = new Map(format.archivedTables.map((table, place) => [table.name, { table, place }]));

/**
 * Reads an archive from its beginning to its end, and checks everything that can be seen without the other records: the
 * order of its parts, the columns of each record and the types of their values. At most one file of the archive is in
 * memory.
 *
 * Throws an {@link ArchiveError} with the place, also for a file that is no archive, or not a whole one, and for one
 * that expands to far more than a book does.
 */
export async function* readArchive(path: string): AsyncGenerator<ArchivePart, void, undefined> {
  try {
    yield* partsOf(filesOf(path));
  } catch (error) {
    throw asArchiveError(error);
  }
}

async function* partsOf(files: AsyncIterable<ArchivedFile>): AsyncGenerator<ArchivePart> {
  let isFirst = true;
  let records = 0;
  let isEnded = false;
  const found = new Found();
  for await (const { name, content } of files) {
    if (isEnded) throw new ArchiveError(`${quote(name)} comes after the end of the archive`);
    if (isFirst) {
      if (name !== format.manifestName)
        throw new ArchiveError(`It begins with ${quote(name)}, not with ${format.manifestName}`);
      yield { manifest: readManifest(content) };
      isFirst = false;
    } else if (name === format.endName) {
      checkEnd(content, found);
      isEnded = true;
    } else if (name === format.recordsName(records + 1)) {
      records += 1;
      for (const part of recordsIn(name, content, found)) yield part;
    } else {
      const [, id] = /^files\/([1-9]\d{0,15})$/.exec(name) ?? [];
      if (id === undefined) throw new ArchiveError(`It has an unknown file ${quote(name)}`);
      found.files += 1;
      yield { fileId: Number(id), content };
    }
  }
  if (!isEnded) throw new ArchiveError(`It has no ${format.endName}: it is not whole`);
}

/** What was read so far. */
class Found {
  readonly records: Record<string, number> = {};
  files = 0;
  /** The place of the last table. */
  place = 0;
  /** The columns of the records of the last table. */
  columns: string | null = null;
}

function* recordsIn(name: string, content: Buffer, found: Found): Generator<ArchivePart> {
  let from = 0;
  for (let line = 1; from < content.length; line += 1) {
    const end = content.indexOf('\n', from);
    const place = `${name}, line ${line}`;
    if (end < 0) throw new ArchiveError(`${place}: the line does not end`);
    const { table: tableName, row: values } = objectIn(content.subarray(from, end), place);
    from = end + 1;
    const known = typeof tableName === 'string' ? tables.get(tableName) : undefined;
    if (known === undefined)
      throw new ArchiveError(`${place}: unknown kind of record ${quoteValue(tableName)}`);
    const { table } = known;
    if (known.place < found.place)
      throw new ArchiveError(`${place}: a record of ${table.name} comes too late`);
    if (known.place > found.place) found.columns = null;
    found.place = known.place;
    if (!isObject(values)) throw new ArchiveError(`${place}: "row" is not an object`);
    const { row, problem } = readRow(table, values);
    if (problem !== null) throw new ArchiveError(`${place}: ${table.name}: ${problem}`);
    const columns = Object.keys(row).join();
    found.columns ??= columns;
    if (columns !== found.columns)
      throw new ArchiveError(`${place}: ${table.name}: other columns than in the record before`);
    found.records[table.name] = (found.records[table.name] ?? 0) + 1;
    yield { table, row, place };
  }
}

function readManifest(content: Buffer): Manifest {
  const place = format.manifestName;
  const all = objectIn(content, place);
  if (all['type'] !== 'coffer book') throw new ArchiveError(`${place}: it is not of a book`);
  const version = (name: string, newest: number): void => {
    const value = all[name];
    if (!isCount(value)) throw new ArchiveError(`${place}: invalid ${name} ${quoteValue(value)}`);
    if (value > newest)
      throw new ArchiveError(
        `It has ${name} ${value}, but this program reads up to ${newest}: use a newer version of Coffer`,
      );
  };
  version('format', format.archiveFormat);
  version('schema', schemaVersion);
  const { book, owner } = all;
  if (!isObject(book) || !isObject(owner))
    throw new ArchiveError(`${place}: "book" or "owner" is not an object`);
  for (const [name, value] of [
    ['the id of the book', book['id']],
    ['the version of the book', book['version']],
    ['the id of the owner', owner['id']],
  ] as const)
    if (!isCount(value) || value > format.lastId)
      throw new ArchiveError(`${place}: invalid ${name}: ${quoteValue(value)}`);
  for (const [name, value] of [
    ['name of the book', book['name']],
    ['e-mail address', owner['email']],
    ['name of the owner', owner['name']],
  ] as const)
    if (typeof value !== 'string' || !isStorable(value) || value === '' || value.length > 1000)
      throw new ArchiveError(`${place}: invalid ${name} ${quoteValue(value)}`);
  const currency = book['primary_currency'];
  if (typeof currency !== 'string' || !isCurrencyCode(currency))
    throw new ArchiveError(`${place}: unknown currency ${quoteValue(currency)}`);
  return all as unknown as Manifest;
}

function checkEnd(content: Buffer, { records, files }: Found): void {
  const stated = objectIn(content, format.endName);
  const counts = isObject(stated['records']) ? stated['records'] : {};
  for (const name of new Set([...Object.keys(counts), ...Object.keys(records)]))
    if (counts[name] !== records[name])
      throw new ArchiveError(
        `It has ${records[name] ?? 0} records of ${quote(name)}, but ${format.endName} says ${quoteValue(counts[name])}`,
      );
  if (stated['files'] !== files)
    throw new ArchiveError(
      `It has ${files} attached files, but ${format.endName} says ${quoteValue(stated['files'])}`,
    );
}

/** A file of the archive. */
interface ArchivedFile {
  readonly name: string;
  readonly content: Buffer;
}

async function* filesOf(path: string): AsyncGenerator<ArchivedFile, void, undefined> {
  const file = createReadStream(path);
  const gunzip = createGunzip();
  file.on('error', (error) => gunzip.destroy(error));
  const bytes = new Bytes(file.pipe(gunzip), () => file.bytesRead);
  try {
    for (;;) {
      const entry = readTarHeader(await bytes.take(TAR_BLOCK));
      if (entry === null) break;
      const { name, size } = entry;
      const most = mostBytesOf(name);
      if (size > most)
        throw new ArchiveError(
          `${quote(name)} has ${size} bytes, more than the ${most} it may have`,
        );
      const content = await bytes.take(size);
      await bytes.take(tarPadding(size));
      yield { name, content };
    }
    await bytes.refuseMore();
  } finally {
    file.destroy();
    gunzip.destroy();
  }
}

function mostBytesOf(name: string): number {
  if (name.startsWith('records/')) return limits.recordsBytes;
  return name.startsWith('files/') ? maxUploadBytes : limits.jsonBytes;
}

/** Bytes that arrive in pieces, taken in lengths of the reader's choice. */
class Bytes {
  readonly #pieces: AsyncIterator<Buffer>;
  readonly #packed: () => number;
  #kept: Buffer[] = [];
  #length = 0;
  #all = 0;

  constructor(pieces: AsyncIterable<Buffer>, packed: () => number) {
    this.#pieces = pieces[Symbol.asyncIterator]();
    this.#packed = packed;
  }

  async take(length: number): Promise<Buffer> {
    while (this.#length < length)
      if (!(await this.#more())) throw new ArchiveError('It ends too early: it is not whole');
    const all = this.#kept.length === 1 ? this.#kept[0]! : Buffer.concat(this.#kept);
    this.#kept = [all.subarray(length)];
    this.#length -= length;
    return all.subarray(0, length);
  }

  /** Reads to the end, which checks the checksum. Only empty blocks may follow. */
  async refuseMore(): Promise<void> {
    do {
      for (const piece of this.#kept)
        if (piece.some((byte) => byte !== 0))
          throw new ArchiveError('Something comes after the end of the archive');
      this.#kept = [];
      this.#length = 0;
    } while (await this.#more());
  }

  async #more(): Promise<boolean> {
    const next = await this.#pieces.next();
    if (next.done === true) return false;
    const piece = next.value;
    this.#all += piece.length;
    if (this.#all > limits.freeBytes + limits.ratio * this.#packed())
      throw new ArchiveError(
        `It expands to more than ${limits.ratio} times its length, which no book does`,
      );
    this.#kept.push(piece);
    this.#length += piece.length;
    return true;
  }
}

function asArchiveError(error: unknown): unknown {
  if (error instanceof TarError) return new ArchiveError(error.message, { cause: error });
  const { code = '' } = error as NodeJS.ErrnoException;
  if (code === 'Z_BUF_ERROR')
    return new ArchiveError('It ends too early: it is not whole', { cause: error });
  if (!code.startsWith('Z_')) return error;
  const hint = '"coffer export --format archive" makes one';
  return new ArchiveError(`It is no archive of a book, or it is damaged. ${hint}`, {
    cause: error,
  });
}

type JsonObject = Readonly<Record<string, unknown>>;

function objectIn(bytes: Buffer, place: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    // The text of the error has much of the content.
  }
  if (!isObject(value)) throw new ArchiveError(`${place}: it is not a JSON object in UTF-8`);
  return value;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 1;
}

/** A row, and what is wrong with it; null if nothing is. */
interface ReadRow {
  readonly row: Values;
  readonly problem: string | null;
}

const isOfType: Readonly<Record<Column['type'], (value: unknown) => boolean>> = {
  integer: Number.isSafeInteger,
  text: (value) => typeof value === 'string' && isStorable(value),
  flag: (value) => typeof value === 'boolean',
  // No archive has bytes: all are secrets.
  bytes: () => false,
};

/** Texts with a form of their own, by the names of their columns. Others are free. */
const forms: readonly (readonly [names: RegExp, isValid: (text: string) => boolean])[] = [
  [/^((start_|end_|anchor_|first_|last_)?date|closed_on)$/, isCalendarDate],
  [/^(created_at|updated_at|archived_at)$/, isDateTime],
  [/^month$/, (text) => isCalendarDate(`${text}-01`)],
  [/^currency$/, isCurrencyCode],
  [/^(conditions|actions|plaid_metadata|custom_metadata|settings)$/, isJsonObject],
  [/^tag_ids$/, isJsonIds],
];

/**
 * Reads the record of a line: all columns that an archive has of the table, each with a value of its type. A column
 * that the database fills in may be missing, as it is newer than the archive. Ids are at most {@link format.lastId}.
 */
function readRow(table: Table, values: Values): ReadRow {
  const row: Record<string, unknown> = {};
  let problem: string | null = null;
  for (const name of Object.keys(values))
    if (!Object.hasOwn(table.columns, name) || !isCarried(table, name))
      problem ??= `unknown column ${quote(name)}`;
  for (const [name, column] of Object.entries(table.columns)) {
    if (!isCarried(table, name)) continue;
    const value = values[name];
    if (value === undefined && column.isOptional && name !== 'id') continue;
    row[name] = value;
    if (!isValid(table, name, value)) problem ??= `invalid ${name}: ${quoteValue(value)}`;
  }
  return { row, problem };
}

function isValid(table: Table, name: string, value: unknown): boolean {
  const { type, isNullable, words } = table.columns[name]!;
  if (value === null) return isNullable;
  if (!isOfType[type](value) || words?.includes(value as string) === false) return false;
  if (name === 'id' || referenceOf(table, name) !== undefined)
    return (value as number) >= 1 && (value as number) <= format.lastId;
  return forms.every(([names, isOfForm]) => !names.test(name) || isOfForm(value as string));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isJsonObject(text: string): boolean {
  const value = parsed(text);
  return typeof value === 'object' && value !== null;
}

function isJsonIds(text: string): boolean {
  const value = parsed(text);
  return Array.isArray(value) && value.every((each) => Number.isSafeInteger(each));
}

/** Quotes a value of JSON for a message; `nothing` for a missing one. */
function quoteValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  return quote(typeof value === 'string' ? value : JSON.stringify(value));
}
