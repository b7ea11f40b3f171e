import type { StatementProblem, TableMapping } from '@coffer/statements/src/statement/statement.ts';
import { changing } from '../../book/change.ts';
import { insertAllUnlogged, updateUnlogged } from '../../book/unlogged.ts';
import type { Engine, Steps } from '../../db/engine.ts';
import { given } from '../../db/table.ts';
import type { Row } from '../../db/table.ts';
import { importPreviewRows, imports } from '../../db/tables/tables.ts';
import type { ErrorDetail } from '../../operations/problem.ts';
import type { ImportSummary } from '../entry.ts';
import { importInto } from '../import.ts';
import {
  fittingMemory,
  isEmpty,
  mapText,
  settingsOf,
  settingsToSave,
  forgetImportSettings,
  importSettingsOf,
  saveImportSettings,
} from '../memory.ts';
import type { ImportSettings } from '../memory.ts';
import type { ImportProgress, PreviewWork, CommitWork } from '../operations/import-service.ts';
import type { PreviewOptions } from '../operations/preview-options.ts';
import {
  clearRows,
  optionsOf,
  previewOf,
  storeBlocks,
  nothingKnown,
  updatePreview,
} from '../operations/preview-records.ts';
import type { PreviewReport, ImportMapping } from '../operations/preview-schema.ts';
import { readChunks } from '../statement-file.ts';
import { openPreview, withOptionNames, checkedOptions } from './open-preview.ts';
import type { Opening, OpenPreview } from './open-preview.ts';
import { PreviewRows, sumsOf, planOf } from './preview-rows.ts';

/** Rows in one transaction: few enough that other writers wait briefly. */
const rowsAtOnce = 500;
const blocksAtOnce = 2;

export type OnProgress = (progress: ImportProgress) => void;

/** How a file is read. */
export interface Reading {
  readonly onProgress: OnProgress;
  /** A file with more entries is not compared with the book. Default: no limit. */
  readonly mostEntries?: number;
}

/** Stores the bytes of a file in blocks, a few in each transaction. */
export async function storeFile(
  engine: Engine,
  { bookId, id }: PreviewWork,
  file: number,
  onRead: (bytes: number) => void,
): Promise<void> {
  let place = 0;
  let blocks: Uint8Array[] = [];
  const flush = async (): Promise<void> => {
    const [first, some] = [place, blocks];
    await engine.write(() => storeBlocks(bookId, id, first, some));
    place += some.length;
    blocks = [];
  };
  for (const chunk of readChunks(file, onRead)) {
    blocks.push(chunk);
    if (blocks.length === blocksAtOnce) await flush();
  }
  if (blocks.length > 0) await flush();
}

/**
 * Reads a file, compares its entries with the book, and stores what an import would do. Returns false, without
 * comparing, if the file has too many entries.
 *
 * Rejects with a Problem, or an error of the file or of an import; then the preview is unchanged.
 */
export async function readPreview(
  engine: Engine,
  work: PreviewWork,
  file: number,
  { onProgress, mostEntries = Infinity }: Reading,
): Promise<boolean> {
  const row = await engine.read(() => previewOf(work.bookId, work.id));
  const options = optionsOf(row);
  const opened = await openPreview(file, row.bytes, options, {
    onRead: (done, total) => onProgress({ step: 'reading', done, total }),
    memoryOf: memoryIn(engine, work.bookId),
  });
  try {
    if (opened.statement.entryCount > mostEntries) return false;
    await comparePreview(engine, work, { opened, options, onProgress });
    return true;
  } finally {
    opened.close();
  }
}

/** Returns what looks up the settings of earlier imports into a book. */
export function memoryIn(engine: Engine, bookId: number): Opening['memoryOf'] {
  return (outline, chosen) => engine.read(() => fittingMemory(bookId, outline, chosen));
}

/** A file that was read, and how. */
export interface ReadFile {
  readonly opened: OpenPreview;
  readonly options: PreviewOptions;
  readonly onProgress: OnProgress;
  /** What the preview says about its rows, such as that they changed. */
  readonly errors?: readonly ErrorDetail[];
}

/** Compares the entries of a file with the book, and stores the result. */
export async function comparePreview(
  engine: Engine,
  work: PreviewWork,
  { opened, options, onProgress, errors = [] }: ReadFile,
): Promise<void> {
  const { bookId, id, actor } = work;
  const total = opened.statement.entryCount;
  const compared = (done: number): void => onProgress({ step: 'comparing', done, total });
  const { plan, verdicts } = planOf({
    work,
    opened,
    options,
    dryRun: true,
    onProgress: compared,
  });
  const cause = { bookId, actor, operation: 'import' };
  const summary = await engine.write(() => changing(cause, (change) => importInto(change, plan)), {
    rollback: true,
  });
  await clearRows(engine, bookId, id);
  const rows = new PreviewRows(opened, verdicts());
  await storeRows(engine, work, rows);
  const report = reportOf({ opened, summary, rows, errors });
  const { format } = opened.statement;
  await engine.write(function* () {
    yield* updateUnlogged(imports, { book_id: bookId, id }, { format });
    yield* updatePreview(bookId, id, {
      status: 'ready',
      entry_count: total,
      report: JSON.stringify(report),
      worker_until_ms: 0,
      options: JSON.stringify(options),
    });
  });
}

async function storeRows(engine: Engine, work: PreviewWork, rows: PreviewRows): Promise<void> {
  const of = { book_id: work.bookId, import_id: work.id };
  let block: Row<typeof importPreviewRows>[] = [];
  const flush = (all: typeof block): Promise<void> =>
    engine.write(() => insertAllUnlogged(importPreviewRows, all));
  for (const { place, nth, row } of rows.rows()) {
    const { verdict, number, known_transaction_id: known_id } = row;
    block.push({ ...of, place, verdict, nth, number, known_id, content: JSON.stringify(row) });
    if (block.length < rowsAtOnce) continue;
    await flush(block);
    block = [];
  }
  if (block.length > 0) await flush(block);
}

/** A file that was compared. */
interface Compared {
  readonly opened: OpenPreview;
  readonly summary: ImportSummary;
  readonly rows: PreviewRows;
  readonly errors: readonly ErrorDetail[];
}

function reportOf({ opened, summary, rows, errors }: Compared): PreviewReport {
  const { format, mapping, warnings = [], leftOut, badRows } = opened.statement;
  const notes = opened.notes.map((note) => ({ line: null, text: capitalised(note) }));
  return {
    format,
    mapping: mappingToWire(mapping),
    remembered: rememberedToWire(opened.remembered),
    warnings: [
      ...notes,
      ...warnings.map(({ line, text }) => ({ line, text: withOptionNames(text) })),
    ],
    left_out: leftOut.map(({ what, count }) => ({ what, count })),
    bad_rows: { count: badRows?.count ?? 0, problems: (badRows?.problems ?? []).map(withReason) },
    verdicts: rows.counts,
    imported: summary.imported,
    doubtful_imported: rows.doubtfulImported,
    sums: sumsOf(summary.sumByCurrency),
    accounts: rows.accounts,
    accounts_created: summary.accountsCreated,
    categories_created: summary.categoriesCreated,
    tags_created: summary.tagsCreated,
    without_rate: summary.withoutRate,
    first_date: summary.firstDate,
    last_date: summary.lastDate,
    errors: [...errors],
  };
}

function capitalised(sentence: string): string {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}

function withReason(problem: StatementProblem): StatementProblem {
  return { ...problem, reason: withOptionNames(problem.reason) };
}

/** The report of a file that could not be read. */
export function failedReport(errors: readonly ErrorDetail[]): PreviewReport {
  return { ...nothingKnown, errors: [...errors] };
}

/** Returns how a table was read, as in a response: every column with what it became. */
function mappingToWire(mapping: TableMapping | undefined): ImportMapping | null {
  if (mapping === undefined) return null;
  const { columns, seen, dateOrder, decimal, delimiter, encoding, isNegated } = mapping;
  return {
    columns: seen.map(({ number, name, sample }) => {
      const keys = columns.filter((each) => each.number === number).map(({ key }) => key);
      return { number, name, sample, keys };
    }),
    date_format: dateOrder,
    decimal,
    delimiter,
    encoding,
    negate: isNegated,
  };
}

/** Returns settings with the names and values that options have in requests. */
function rememberedToWire(settings: ImportSettings): PreviewOptions {
  const { map, dateFormat: date_format, account, ...rest } = settings;
  const { decimal, encoding, negate, currency } = rest;
  return given({
    account: account ?? undefined,
    map: map === undefined ? undefined : mapText(map),
    date_format,
    decimal,
    encoding,
    negate,
    currency,
  });
}

/**
 * Returns the remembered settings with which a file was shown, without some of them; null if it was not shown. They are
 * used again, because a preview is imported as it was shown, whatever is remembered meanwhile.
 */
export function shownSettings(
  report: PreviewReport | null,
  without: CommitWork['without'],
): ImportSettings | null {
  if (typeof report?.format !== 'string') return null;
  const left = Object.entries(report.remembered).filter(([name]) => {
    return !without.includes(name as keyof PreviewOptions);
  });
  const { account = null, ...options } = Object.fromEntries(left) as PreviewOptions;
  // A remembered name may look like a name by number.
  return settingsOf(checkedOptions(options).reading, { name: account, rest: null, byNumber: [] });
}

/** Remembers the options of an import for files with the same shape, without those that the request removed. */
export function* rememberOptions(
  { bookId, without }: CommitWork,
  { statement, shape, remembered, chosen }: OpenPreview,
): Steps<void> {
  if (shape === null) return;
  const before = yield* importSettingsOf(bookId, shape);
  const base = { ...withoutOptions(before ?? {}), ...remembered };
  const isForgotten = before !== null && without.some((name) => name in rememberedToWire(before));
  const settings = settingsToSave(statement, base, chosen) ?? (isForgotten ? base : null);
  if (settings === null) return;
  if (isEmpty(settings)) yield* forgetImportSettings(bookId, shape);
  else yield* saveImportSettings(bookId, { shape, format: statement.format }, settings);
}

/** Returns what the command knows and no option can say. */
function withoutOptions({ isWithoutPayee, account }: ImportSettings): ImportSettings {
  return {
    ...(isWithoutPayee !== undefined && { isWithoutPayee }),
    ...(account === null && { account }),
  };
}
