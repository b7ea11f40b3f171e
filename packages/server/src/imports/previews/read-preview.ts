import { closeSync } from 'node:fs';
import type {
  Statement,
  StatementProblem,
  TableMapping,
} from '@coffer/statements/src/statement/statement.ts';
import type { Engine } from '../../db/engine.ts';
import { given } from '../../db/table.ts';
import type { ErrorDetail } from '../../operations/problem.ts';
import { namesAccounts } from '../account-plan.ts';
import { compareEntries, sourceOf } from '../compare.ts';
import type { ComparedFile } from '../compare.ts';
import type { ImportPlan, OnDoubt } from '../entry.ts';
import { fittingMemory, settingsOf } from '../memory.ts';
import type { ImportSettings } from '../memory.ts';
import type { ImportProgress, PreviewWork, CommitWork } from '../operations/import-service.ts';
import type { PreviewOptions } from '../operations/preview-options.ts';
import {
  optionsOf,
  previewOf,
  reportOf,
  storeBlocks,
  nothingKnown,
} from '../operations/preview-records.ts';
import type { StoredPreview } from '../operations/preview-records.ts';
import type {
  PreviewReport,
  ImportMapping,
  ImportPreviewRow,
} from '../operations/preview-schema.ts';
import { readChunks } from '../statement-file.ts';
import { choicesOf, comparedReport, rememberedToWire, storeCompared } from './commit-preview.ts';
import type { Committing } from './commit-preview.ts';
import {
  openPreview,
  problemText,
  spool,
  withOptionNames,
  checkedOptions,
} from './open-preview.ts';
import type { Opening, OpenPreview } from './open-preview.ts';

const blocksAtOnce = 8;

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
function memoryIn(engine: Engine, bookId: number): Opening['memoryOf'] {
  return (outline, chosen) => engine.read(() => fittingMemory(bookId, outline, chosen));
}

/** A file that was read, and how. */
export interface ReadFile {
  readonly opened: OpenPreview;
  readonly options: PreviewOptions;
  readonly onProgress: OnProgress;
}

/** Reads a preview again by the options of its commit, and compares its entries. The caller closes the result. */
export async function committingAgain(
  engine: Engine,
  work: CommitWork,
  onProgress: OnProgress,
): Promise<Committing> {
  const { bookId, id, options } = work;
  const row = await engine.read(() => previewOf(bookId, id));
  const bytes = await spool(engine, bookId, id);
  let opened: OpenPreview | null = null;
  try {
    opened = await openPreview(bytes, work.bytes, options, {
      onRead: (done, total) => onProgress({ step: 'reading', done, total }),
      memoryOf: memoryIn(engine, bookId),
      shown: shownSettings(reportOf(row), work.without),
    });
    const choices = choicesOf(work, opened.statement.entryCount);
    const plan = planOf(work, { opened, options, onProgress }, choices);
    const file = await engine.read(() => compareEntries(bookId, plan, sourceOf(plan.entries())));
    const stored = storedFrom(opened, file.version);
    const report = reportOfFile(opened, file, stored);
    return { plan, stored, report, file, entries: sourceOf(file.entries) };
  } finally {
    opened?.close();
    closeSync(bytes);
  }
}

/** Compares the entries of a file with the book, and stores the result. */
async function comparePreview(engine: Engine, work: PreviewWork, read: ReadFile): Promise<void> {
  const plan = planOf(work, read);
  const file = await engine.read(() => compareEntries(work.bookId, plan, sourceOf(plan.entries())));
  try {
    const { opened, options } = read;
    const stored = storedFrom(opened, file.version);
    const report = reportOfFile(opened, file, stored);
    await storeCompared(engine, work, { file, stored, report, options });
  } finally {
    file.entries.close();
  }
}

/** Returns the import of a preview. */
function planOf(
  work: PreviewWork,
  { opened, options, onProgress }: ReadFile,
  choices?: ReadonlyMap<number, OnDoubt>,
): ImportPlan {
  const { statement, plan: accounts, chosen, remembered } = opened;
  const currency = chosen.currency ?? remembered.currency;
  const total = statement.entryCount;
  return {
    ...accounts,
    dryRun: false,
    onProgress: (done) => onProgress({ step: 'comparing', done, total }),
    importId: work.id,
    actor: work.actor,
    format: statement.format,
    keepsEmptyPayees: statement.isOwn,
    leftOut: statement.leftOut.reduce((sum, { count }) => sum + count, 0),
    ...given({ onDoubt: options.on_doubt, choices, currency }),
    entries: () => statement.entries(),
  };
}

/** Returns what is stored of a file that was compared with a version of the book. */
function storedFrom(
  { statement, plan, shape, chosen, remembered }: OpenPreview,
  version: number,
): StoredPreview {
  return {
    version,
    format: statement.format,
    keepsEmptyPayees: statement.isOwn ?? false,
    leftOut: statement.leftOut.reduce((sum, { count }) => sum + count, 0),
    accounts: [...plan.accounts],
    balances: [...plan.balances],
    badRows: badRowsOf(statement),
    shape,
    namesAccounts: namesAccounts(statement),
    chosen,
    remembered,
  };
}

/** Returns a row for each line with problems. */
function badRowsOf({ badRows }: Statement): ImportPreviewRow[] {
  const nothing = { number: null, date: null, amount: null, currency: null, payee: null };
  const unknown = { account: null, account_id: null, known_transaction_id: null };
  const verdict = 'bad';
  return [...Map.groupBy(badRows?.problems ?? [], ({ line }) => line)].map(([line, all]) => {
    const why = all.map(problemText).join('; ');
    return { ...nothing, ...unknown, line, verdict, why, is_imported: false };
  });
}

/** Returns the report of a file. */
function reportOfFile(
  { statement, notes: ofFile, accounts, remembered }: OpenPreview,
  file: ComparedFile,
  stored: StoredPreview,
): PreviewReport {
  const { format, mapping, warnings = [], leftOut, badRows } = statement;
  const notes = ofFile.map((note) => ({ line: null, text: capitalised(note) }));
  return {
    format,
    mapping: mappingToWire(mapping),
    remembered: rememberedToWire(remembered),
    ...(accounts.length > 0 && { account_choices: [...accounts] }),
    warnings: [
      ...notes,
      ...warnings.map(({ line, text }) => ({ line, text: withOptionNames(text) })),
    ],
    left_out: leftOut.map(({ what, count }) => ({ what, count })),
    bad_rows: { count: badRows?.count ?? 0, problems: (badRows?.problems ?? []).map(withReason) },
    ...comparedReport(file, stored),
    errors: [],
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

/**
 * Returns the remembered settings with which a file was shown, without some of them; null if it was not shown. They are
 * used again, because a preview is imported as it was shown, whatever is remembered meanwhile.
 */
function shownSettings(
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
