import { instantOf, hasToWait } from '@coffer/core/dates';
import sql from 'sql-template-tag';
import {
  deletePlaces,
  deleteUnlogged,
  insertAllUnlogged,
  insertUnlogged,
  updateUnlogged,
} from '../../book/unlogged.ts';
import { context, type Engine, type Steps } from '../../db/engine.ts';
import { findLocked, find, rowAs, rowsAs } from '../../db/rows.ts';
import { integer, type Row, type Table } from '../../db/table.ts';
import {
  importPreviewBlocks,
  importPreviews,
  imports,
  importPreviewEntries,
} from '../../db/tables/tables.ts';
import { notFound, Problem } from '../../operations/problem.ts';
import { workerMs, type ImportProgress } from './import-service.ts';
import { firstRows } from './preview-schema.ts';
import type {
  PreviewOptions,
  PreviewReport,
  ImportPreview,
  ImportPreviewRow,
  PreviewVerdict,
} from './preview-schema.ts';
import { importOf } from './records.ts';
import { formatAmount } from '@coffer/core/money';
import { blockSize } from '../../db/blocks.ts';
import type { ComparedBlock, ComparedFile } from '../compare.ts';
import { readDecisions, storedDecisions, type ShownDecision } from '../comparison.ts';
import { entriesFromJson } from '../entry.ts';
import type { ImportEntry, NumberedAccount, OnDoubt, StatedAccount, Verdict } from '../entry.ts';
import type { ImportSettings } from '../memory.ts';
import { becomesNew } from '../row-writers.ts';

/** What the import of a preview needs besides its entries. */
export interface StoredPreview {
  /** The version of the book with which the entries were compared. */
  readonly version: number;
  readonly format: string;
  readonly keepsEmptyPayees: boolean;
  readonly leftOut: number;
  /** The accounts with numbers, by the name that entries have. */
  readonly accounts: readonly (readonly [name: string, account: NumberedAccount])[];
  /** The balances of the file, by the name that entries have. Missing in what an older version has stored. */
  readonly balances?: readonly (readonly [name: string, stated: StatedAccount])[];
  /** In the order of the file. */
  readonly badRows: readonly ImportPreviewRow[];
  /** What the file says about settings to remember. */
  readonly shape: string | null;
  readonly namesAccounts: boolean;
  readonly chosen: ImportSettings;
  readonly remembered: ImportSettings;
}

type StoredBlock = Row<typeof importPreviewEntries>;

/** Blocks in one transaction: few enough that other writers wait briefly. */
const storedAtOnce = 16;
const deletedAtOnce = 16;

const letters = { new: 'n', known: 'k', replaces: 'r', doubtful: 'd', bad: 'b' } as const;

/** Stores the entries of a file and what was decided about them, a few blocks in each transaction. */
export async function storeRows(
  engine: Engine,
  of: { readonly book_id: number; readonly import_id: number },
  file: ComparedFile,
  badRows: readonly ImportPreviewRow[],
): Promise<void> {
  await deleteBlocks(engine, importPreviewEntries, of);
  const left = [...badRows];
  let blocks: StoredBlock[] = [];
  for (let place = 0; place * blockSize <= file.entries.count; place += 1) {
    const isLast = (place + 1) * blockSize > file.entries.count;
    const decided = file.decisionsOf(place);
    const verdicts = lettersOf(decided.map(({ verdict }) => verdict));
    blocks.push({
      ...of,
      place,
      verdicts: left.length === 0 ? verdicts : withBadRows(verdicts, file, place, isLast, left),
      entries: file.entries.json(place),
      decisions: storedDecisions(decided),
    });
    if (blocks.length < storedAtOnce && !isLast) continue;
    const some = blocks;
    await engine.write(() => insertAllUnlogged(importPreviewEntries, some));
    blocks = [];
  }
}

function lettersOf(verdicts: readonly Verdict[]): string {
  return verdicts.map((verdict) => letters[verdict]).join('');
}

/** Adds bad rows where the file has them, and takes them from the list. */
function withBadRows(
  verdicts: string,
  file: ComparedFile,
  place: number,
  isLast: boolean,
  left: ImportPreviewRow[],
): string {
  let all = '';
  for (const [at, { line }] of file.entries.entries(place).entries()) {
    for (; left[0] !== undefined && left[0].line < line; left.shift()) all += letters.bad;
    all += verdicts[at]!;
  }
  return isLast ? all + letters.bad.repeat(left.splice(0).length) : all;
}

/** The rows to show: by their place among all, or among those with a verdict. */
interface RowRange {
  readonly limit: number;
  readonly offset: number;
  readonly verdict?: PreviewVerdict;
}

/** Deletes the blocks of a preview in a table, from place 0 on. */
async function deleteBlocks(
  engine: Engine,
  table: typeof importPreviewBlocks | typeof importPreviewEntries,
  of: { readonly book_id: number; readonly import_id: number },
): Promise<void> {
  let deleted = 1;
  for (let from = 0; deleted > 0; from += deletedAtOnce)
    deleted = await engine.write(() =>
      deletePlaces<Table<'server'>>(table, of, from, from + deletedAtOnce),
    );
}

/** What is shown of rows. */
interface Shown {
  readonly stored: StoredPreview;
  readonly onDoubt: OnDoubt | undefined;
}

/** Returns rows of a preview in the order of the file, and whether there are more. */
function* pageOfRows(
  bookId: number,
  id: number,
  { limit, offset, verdict }: RowRange,
  shown: Shown | null,
): Steps<{ rows: ImportPreviewRow[]; has_more: boolean }> {
  const rows: ImportPreviewRow[] = [];
  if (shown === null) return { rows, has_more: false };
  const wanted = verdict === undefined ? null : letters[verdict];
  let skipped = 0;
  let bad = 0;
  for (const { place, verdicts } of yield* verdictsOf(bookId, id)) {
    const count = wanted === null ? verdicts.length : verdicts.split(wanted).length - 1;
    const from = Math.max(0, offset - skipped);
    skipped += count;
    if (from < count) {
      if (rows.length === limit) return { rows, has_more: true };
      const block = (yield* entryBlockOf(bookId, id, place))!;
      const matching = rowsOf(block, shown, bad).filter(
        (row) => wanted === null || letters[row.verdict] === wanted,
      );
      const some = matching.slice(from, from + limit - rows.length);
      rows.push(...some);
      if (from + some.length < count) return { rows, has_more: true };
    }
    bad += verdicts.split(letters.bad).length - 1;
  }
  return { rows, has_more: false };
}

function verdictsOf(bookId: number, id: number): Steps<Pick<StoredBlock, 'place' | 'verdicts'>[]> {
  const { place, verdicts } = importPreviewEntries.columns;
  return rowsAs(
    { place, verdicts },
    sql`SELECT place, verdicts FROM import_preview_entries
      WHERE book_id = ${bookId} AND import_id = ${id} ORDER BY place`,
  );
}

function* entryBlockOf(bookId: number, id: number, place: number): Steps<StoredBlock | undefined> {
  return yield* find(importPreviewEntries, { book_id: bookId, import_id: id, place });
}

/** Returns the entries of a block with what was decided about them; null after the last block. */
export function* storedBlock(
  bookId: number,
  id: number,
  place: number,
): Steps<ComparedBlock | null> {
  const block = yield* entryBlockOf(bookId, id, place);
  const entries = block === undefined ? [] : entriesFromJson(block.entries);
  if (block === undefined || entries.length === 0) return null;
  return { first: place * blockSize + 1, entries, decisions: readDecisions(block.decisions) };
}

/** `bad` is the number of bad rows before the block. */
function rowsOf(block: StoredBlock, { stored, onDoubt }: Shown, bad: number): ImportPreviewRow[] {
  const entries = entriesFromJson(block.entries);
  const decisions = readDecisions(block.decisions);
  const names = new Map(stored.accounts.map(([name, account]) => [name, account.name ?? name]));
  let [at, nth] = [0, bad];
  return [...block.verdicts].map((letter) => {
    if (letter === letters.bad) return stored.badRows[nth++]!;
    const number = block.place * blockSize + at + 1;
    const row = rowOf(number, entries[at]!, decisions[at]!, names, onDoubt);
    at += 1;
    return row;
  });
}

function rowOf(
  number: number,
  { line, date, amount, payee, account }: ImportEntry,
  decision: ShownDecision,
  names: ReadonlyMap<string, string>,
  onDoubt: OnDoubt | undefined,
): ImportPreviewRow {
  const { verdict, knownId, why, currency, accountId } = decision;
  return {
    number,
    line,
    date,
    amount: formatAmount(amount),
    currency,
    payee,
    account: account === null ? null : (names.get(account) ?? account),
    account_id: accountId,
    verdict,
    known_transaction_id: knownId,
    why,
    is_imported: becomesNew(decision, undefined, onDoubt),
  };
}

export type PreviewRow = Row<typeof importPreviews>;

/** How long a preview is kept. */
export const previewMs = 24 * 3_600_000;
/** Most unfinished previews of a book, and bytes of their files. */
const mostPreviews = 500;
const mostBytes = 500 * 2 ** 20;

/** A file that was received. */
export interface NewPreview {
  readonly bookId: number;
  /** Such as `token 12`. */
  readonly actor: string;
  readonly fileName: string | null;
  readonly hash: string;
  readonly bytes: number;
  readonly options: PreviewOptions;
  readonly nowMs: number;
  readonly workerUntilMs: number;
}

/** Creates a preview that is about to be read. Throws a Problem if the book has too many. Returns its id. */
export function* createPreview(preview: NewPreview): Steps<number> {
  const { bookId: book_id, actor, fileName: file_name, hash: file_hash } = preview;
  const { bytes, options, nowMs, workerUntilMs: worker_until_ms } = preview;
  yield* refuseTooMany(book_id, bytes);
  const at = instantOf(nowMs);
  const row = { book_id, at, actor, file_name, file_hash, is_preview: true };
  const { id: import_id } = yield* insertUnlogged(imports, row);
  yield* insertAllUnlogged(importPreviews, [
    {
      book_id,
      import_id,
      status: 'reading',
      bytes,
      worker_until_ms,
      expires_at_ms: nowMs + previewMs,
      options: JSON.stringify(options),
    },
  ]);
  return import_id;
}

function* refuseTooMany(bookId: number, more: number): Steps<void> {
  const open = yield* rowAs(
    { count: integer, bytes: integer },
    sql`SELECT COUNT(*) AS count, CAST(COALESCE(SUM(bytes), 0) AS BIGINT) AS bytes
      FROM import_previews WHERE book_id = ${bookId}`,
  );
  const { count, bytes } = open!;
  if (count < mostPreviews && bytes + more <= mostBytes) return;
  const errMsg =
    `The book has ${count} unfinished previews with ${Math.ceil(bytes / 2 ** 20)} MB, and may have ` +
    `${mostPreviews} with ${mostBytes / 2 ** 20} MB: commit or delete one first`;
  throw new Problem('invalidRequest', { details: [{ errMsg }] });
}

/** Returns a preview of a book, also one that has expired. Throws a Problem if there is none. */
export function* previewOf(bookId: number, id: number): Steps<PreviewRow> {
  const row = yield* findPreview(bookId, id);
  if (row === undefined) throw notFound('preview', id);
  return row;
}

/** Returns a preview of a book, or undefined. */
export function* findPreview(bookId: number, id: number): Steps<PreviewRow | undefined> {
  const row = yield* find(importPreviews, { book_id: bookId, import_id: id });
  return row?.expires_at_ms === 0 ? undefined : row;
}

/** As {@link previewOf}; nobody else can change the preview until the transaction ends. */
export function* lockPreview(bookId: number, id: number): Steps<PreviewRow> {
  const of = { book_id: bookId, import_id: id };
  const row = yield* findLocked(importPreviews, of, sql`expires_at_ms > 0`);
  if (row === undefined) throw notFound('preview', id);
  return row;
}

/** Sets columns of a preview. */
export function* updatePreview(
  bookId: number,
  id: number,
  values: Partial<Omit<PreviewRow, 'book_id' | 'import_id'>>,
): Steps<void> {
  yield* updateUnlogged(importPreviews, { book_id: bookId, import_id: id }, values);
}

type StoredReport = Omit<PreviewReport, 'doubtful_imported'> &
  Partial<Pick<PreviewReport, 'doubtful_imported'>>;

/** Returns what is known of a file; null before it was read. */
export function reportOf({ report }: PreviewRow): PreviewReport | null {
  if (report === '{}') return null;
  const { doubtful_imported: kept, ...read } = JSON.parse(report) as StoredReport;
  // A node of an older release imports all doubtful rows, and does not count them.
  return { ...read, doubtful_imported: kept ?? read.verdicts['doubtful'] ?? 0 };
}

/** Returns how a file is read. */
export function optionsOf({ options }: PreviewRow): PreviewOptions {
  return JSON.parse(options) as PreviewOptions;
}

/** Returns what the import of a preview needs; null before its entries are stored. */
export function storedOf({ compared }: PreviewRow): StoredPreview | null {
  return compared === null ? null : (JSON.parse(compared) as StoredPreview);
}

/** Returns some rows of a preview. */
export function* rowsOfPreview(row: PreviewRow, range: RowRange): ReturnType<typeof pageOfRows> {
  const stored = storedOf(row);
  const shown = stored === null ? null : { stored, onDoubt: optionsOf(row).on_doubt };
  return yield* pageOfRows(row.book_id, row.import_id, range, shown);
}

/** Deletes a preview with its file and rows, a part in each transaction. A repetition continues. */
export async function removePreview(engine: Engine, bookId: number, id: number): Promise<void> {
  await engine.write(() => updatePreview(bookId, id, { expires_at_ms: 0 }));
  const of = { book_id: bookId, import_id: id };
  for (const table of [importPreviewEntries, importPreviewBlocks])
    await deleteBlocks(engine, table, of);
  await engine.write(() => deleteUnlogged(imports, { book_id: bookId, id, is_preview: true }));
}

/** Stores the bytes of a file from a place on. */
export function* storeBlocks(
  bookId: number,
  id: number,
  place: number,
  blocks: readonly Uint8Array[],
): Steps<void> {
  const of = { book_id: bookId, import_id: id };
  yield* insertAllUnlogged(
    importPreviewBlocks,
    blocks.map((content, at) => ({ ...of, place: place + at, content })),
  );
}

/** Returns one block of a file; undefined after the last one. */
export function* blockOf(bookId: number, id: number, place: number): Steps<Uint8Array | undefined> {
  const row = yield* find(importPreviewBlocks, { book_id: bookId, import_id: id, place });
  return row?.content;
}

/** Who works on a preview in this process, and how far it is. */
export type ProgressOf = (bookId: number, id: number) => ImportProgress | null;

/** Returns a preview as in a response, with its first rows. Throws a Problem if there is none. */
export function* shownPreview(
  bookId: number,
  id: number,
  progressOf: ProgressOf,
): Steps<ImportPreview> {
  const { nowMs } = yield* context();
  const row = yield* previewOf(bookId, id);
  const record = yield* importOf(bookId, id);
  const page = yield* rowsOfPreview(row, { limit: firstRows, offset: 0 });
  const progress = progressOf(bookId, id);
  const report = reportOf(row) ?? nothingKnown;
  const status = statusOf(row, progress !== null, nowMs);
  const isStopped = status === 'failed' && row.status === 'reading';
  return {
    id,
    status,
    progress,
    options: optionsOf(row),
    ...report,
    ...page,
    ...(isStopped && { errors: [{ errMsg: 'The server stopped: send the file again' }] }),
    file_name: record.file_name,
    file_sha256: record.file_hash ?? '',
    created_at: record.at,
    created_by: record.actor,
    file_bytes: row.bytes,
    expires_at: instantOf(row.expires_at_ms),
  };
}

/** Returns the state of a preview. A node that died in the middle of its work left another one in the database. */
export function statusOf(
  row: PreviewRow,
  isUnderWay: boolean,
  nowMs: number,
): ImportPreview['status'] {
  const { status, expires_at_ms, worker_until_ms } = row;
  const isLeft = !isUnderWay && !hasToWait(worker_until_ms, nowMs, workerMs);
  if (status === 'reading') return isLeft ? 'failed' : 'reading';
  if (status === 'committing' && !isLeft) return 'committing';
  if (expires_at_ms <= nowMs) return 'expired';
  if (status !== 'committing') return status;
  return (reportOf(row)?.format ?? null) === null ? 'failed' : 'ready';
}

/** The report of a file of which nothing is known. */
export const nothingKnown: PreviewReport = {
  format: null,
  mapping: null,
  remembered: {},
  warnings: [],
  left_out: [],
  errors: [],
  bad_rows: { count: 0, problems: [] },
  verdicts: { new: 0, known: 0, replaces: 0, doubtful: 0, bad: 0 },
  imported: 0,
  doubtful_imported: 0,
  sums: [],
  accounts: [],
  first_date: null,
  last_date: null,
  accounts_created: 0,
  categories_created: 0,
  tags_created: 0,
  without_rate: 0,
};
