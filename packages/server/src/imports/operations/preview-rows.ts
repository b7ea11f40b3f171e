import { formatAmount } from '@coffer/core/money';
import sql from 'sql-template-tag';
import { deletePlaces, insertAllUnlogged } from '../../book/unlogged.ts';
import { blockSize } from '../../db/blocks.ts';
import type { Engine, Steps } from '../../db/engine.ts';
import { find, rowsAs } from '../../db/rows.ts';
import type { Row, Table } from '../../db/table.ts';
import type { importPreviewBlocks } from '../../db/tables/tables.ts';
import { importPreviewEntries } from '../../db/tables/tables.ts';
import type { ComparedBlock, ComparedFile } from '../compare.ts';
import { readDecisions, storedDecisions } from '../comparison.ts';
import type { ShownDecision } from '../comparison.ts';
import type { ImportEntry, NumberedAccount, OnDoubt, Verdict } from '../entry.ts';
import type { ImportSettings } from '../memory.ts';
import { becomesNew } from '../row-writers.ts';
import type { ImportPreviewRow, PreviewVerdict } from './preview-schema.ts';

/** What the import of a preview needs besides its entries. */
export interface StoredPreview {
  /** The version of the book with which the entries were compared. */
  readonly version: number;
  readonly format: string;
  readonly keepsEmptyPayees: boolean;
  readonly leftOut: number;
  /** The accounts with numbers, by the name that entries have. */
  readonly accounts: readonly (readonly [name: string, account: NumberedAccount])[];
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
const storedAtOnce = 4;
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
export interface RowRange {
  readonly limit: number;
  readonly offset: number;
  readonly verdict?: PreviewVerdict;
}

/** Deletes the blocks of a preview in a table, from place 0 on. */
export async function deleteBlocks(
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
export interface Shown {
  readonly stored: StoredPreview;
  readonly onDoubt: OnDoubt | undefined;
}

/** Returns rows of a preview in the order of the file, and whether there are more. */
export function* pageOfRows(
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
      const block = (yield* blockOf(bookId, id, place))!;
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

function* blockOf(bookId: number, id: number, place: number): Steps<StoredBlock | undefined> {
  return yield* find(importPreviewEntries, { book_id: bookId, import_id: id, place });
}

/** Returns the entries of a block with what was decided about them; null after the last block. */
export function* storedBlock(
  bookId: number,
  id: number,
  place: number,
): Steps<ComparedBlock | null> {
  const block = yield* blockOf(bookId, id, place);
  if (block === undefined || block.entries === '[]') return null;
  const entries = JSON.parse(block.entries) as ImportEntry[];
  return { first: place * blockSize + 1, entries, decisions: readDecisions(block.decisions) };
}

/** `bad` is the number of bad rows before the block. */
function rowsOf(block: StoredBlock, { stored, onDoubt }: Shown, bad: number): ImportPreviewRow[] {
  const entries = JSON.parse(block.entries) as ImportEntry[];
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
