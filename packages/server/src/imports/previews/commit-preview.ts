import { formatAmount } from '@coffer/core/money';
import { changing, type Change } from '../../book/change.ts';
import { deleteUnlogged, updateUnlogged } from '../../book/unlogged.ts';
import type { Engine, Steps } from '../../db/engine.ts';
import { given } from '../../db/table.ts';
import {
  imports,
  importPreviewBlocks,
  importPreviewEntries,
  importPreviews,
} from '../../db/tables/tables.ts';
import { bodyProblem, Problem, type ErrorDetail } from '../../operations/problem.ts';
import { mayDiffer, writeImport, asPlanned } from '../commit.ts';
import { compareEntries, type Compared, type ComparedFile, type EntrySource } from '../compare.ts';
import type { Decision } from '../comparison.ts';
import type { CheckedBalance, ImportPlan, NumberedAccount, OnDoubt } from '../entry.ts';
import {
  forgetImportSettings,
  importSettingsOf,
  isEmpty,
  mapText,
  saveImportSettings,
  settingsToSave,
} from '../memory.ts';
import type { ImportSettings } from '../memory.ts';
import type { CommitWork, ImportProgress, PreviewWork } from '../operations/import-service.ts';
import type {
  PreviewOptions,
  PreviewReport,
  PreviewVerdict,
} from '../operations/preview-schema.ts';
import {
  optionsOf,
  previewOf,
  reportOf,
  storedOf,
  updatePreview,
  storedBlock,
  storeRows,
} from '../operations/preview-records.ts';
import type { StoredPreview } from '../operations/preview-records.ts';
import type { ImportTally } from '../row-writers.ts';
import { statedToWire } from '../statement-balances.ts';

/** Changed rows that are listed. */
const mostListed = 100;

/** A preview that is about to be imported. */
export interface Committing {
  readonly plan: ImportPlan;
  readonly stored: StoredPreview;
  readonly report: PreviewReport;
  /** The entries, for another comparison. */
  readonly entries: EntrySource;
  /** The file, if it was read and compared again; null for what the preview has stored. */
  readonly file: ComparedFile | null;
}

/** Returns a preview with its stored entries; null if it must be read again, because its options have changed. */
export async function committingAsStored(
  engine: Engine,
  work: CommitWork,
  onProgress: (progress: ImportProgress) => void,
): Promise<Committing | null> {
  const { bookId, id, options } = work;
  const row = await engine.read(() => previewOf(bookId, id));
  const [stored, report] = [storedOf(row), reportOf(row)];
  if (stored === null || report === null || !isAsShown(optionsOf(row), work)) return null;
  const total = row.entry_count;
  const how = { onDoubt: options.on_doubt, choices: choicesOf(work, total), onProgress, total };
  const plan: ImportPlan = {
    ...planOf(work, stored, how),
    entries: () => [],
    defaultAccount: null,
    accounts: new Map(stored.accounts),
    balances: new Map(stored.balances),
  };
  const entries: EntrySource = function* (place) {
    return (yield* storedBlock(bookId, id, place))?.entries ?? null;
  };
  return { plan, stored, report, entries, file: null };
}

/** How a preview is imported. */
interface Importing {
  readonly onDoubt: OnDoubt | undefined;
  readonly choices?: ReadonlyMap<number, OnDoubt>;
  readonly onProgress: (progress: ImportProgress) => void;
  /** The number of rows. */
  readonly total: number;
}

/** Returns the import of a preview, but for its entries and their accounts. */
export function planOf(
  { id: importId, actor }: PreviewWork,
  {
    format,
    keepsEmptyPayees,
    leftOut,
  }: Pick<StoredPreview, 'format' | 'keepsEmptyPayees' | 'leftOut'>,
  { onDoubt, choices, onProgress, total }: Importing,
): Omit<ImportPlan, 'entries' | 'defaultAccount' | 'accounts' | 'balances'> {
  const report = (done: number): void => onProgress({ step: 'comparing', done, total });
  const ofFile = { format, keepsEmptyPayees, leftOut, importId, actor };
  return { ...ofFile, dryRun: false, onProgress: report, ...given({ onDoubt, choices }) };
}

/** Whether a commit reads a file as its preview did. Doubt is decided about when the entries are written. */
function isAsShown(shown: PreviewOptions, { options, without }: CommitWork): boolean {
  const names = Object.keys({ ...shown, ...options }) as (keyof PreviewOptions)[];
  const changed = [...names.filter((name) => shown[name] !== options[name]), ...without];
  return changed.every((name) => name === 'on_doubt');
}

/** The verdicts are not those that the preview showed. */
class ChangedVerdictsError extends Error {
  override name = 'ChangedVerdictsError';
  readonly details: readonly ErrorDetail[];
  readonly file: ComparedFile;
  constructor(details: readonly ErrorDetail[], file: ComparedFile) {
    super('The preview has changed');
    this.details = details;
    this.file = file;
  }
}

/**
 * Imports a preview, by what was decided about its entries, with choices for single rows. Remembers its options for
 * such files. If the book has changed since in a way that matters, the entries are compared again first: without the
 * lock of the book, unless it changes in this moment.
 *
 * Every row must have the verdict that the preview showed; otherwise nothing is imported, the preview is updated, and a
 * Problem names the rows. Rejects with a Problem, or an error of an import.
 */
export async function commitPreview(
  engine: Engine,
  work: CommitWork,
  committing: Committing,
): Promise<void> {
  const { bookId, actor, operation } = work;
  const files = committing.file === null ? [] : [committing.file];
  const current = function* (version: number): Steps<void> {
    if (!(yield* mayDiffer(bookId, version))) return;
    files.push(yield* compareEntries(bookId, asPlanned(committing.plan), committing.entries));
  };
  const { stored } = committing;
  const version = (): number => files.at(-1)?.version ?? stored.version;
  try {
    await engine.read(() => current(version()));
    await engine.read(() => refuseChanged(work, files.at(-1)));
    const write = function* (change: Change): Steps<void> {
      const before = files.length;
      yield* current(version());
      if (files.length > before) yield* refuseChanged(work, files.at(-1));
      const file = files.at(-1);
      const compared = file ?? storedEntries(work, stored);
      yield* writeImport(change, committing.plan, compared, file?.tally ?? extentOf(committing));
      yield* rememberOptions(work, stored);
      yield* endPreview(work);
    };
    const cause = { bookId, actor, operation };
    await engine.write(() => changing(cause, write), { isLarge: true });
  } catch (error) {
    if (!(error instanceof ChangedVerdictsError)) throw error;
    await storeChanged(engine, work, committing, error);
    throw new Problem('importConflict', { details: error.details });
  } finally {
    for (const file of files) file.entries.close();
  }
}

function storedEntries({ bookId, id }: CommitWork, { version }: StoredPreview): Compared {
  return { version, block: (place) => storedBlock(bookId, id, place) };
}

function extentOf({ report: { first_date: firstDate, last_date: lastDate } }: Committing) {
  return { firstDate, lastDate };
}

function storeChanged(
  engine: Engine,
  work: CommitWork,
  { stored: before, report }: Committing,
  { file, details }: ChangedVerdictsError,
): Promise<void> {
  const { options } = work;
  const stored = { ...before, version: file.version };
  const changed = { ...report, ...comparedReport(file, stored), errors: [...details] };
  return storeCompared(engine, work, { file, stored, report: changed, options });
}

/** Returns the choices by row. Throws a Problem for a row that the file does not have. */
export function choicesOf({ choices }: CommitWork, entryCount: number): Map<number, OnDoubt> {
  const all = new Map<number, OnDoubt>();
  const problems: ErrorDetail[] = [];
  for (const [at, { number, action }] of choices.entries()) {
    const refuse = (errMsg: string): void => {
      const instancePath = `/body/rows/${at}/number`;
      problems.push({ errMsg, instancePath, invalid_property: 'rows', number });
    };
    if (number > entryCount)
      refuse(`The file has no row ${number}: its rows have the numbers 1 to ${entryCount}`);
    if (all.has(number)) refuse(`Row ${number} has several actions`);
    all.set(number, action);
  }
  if (problems.length > 0) throw bodyProblem(...problems);
  return all;
}

/** Compares the verdicts with those of the preview, row by row. */
function* refuseChanged({ bookId, id }: CommitWork, file: ComparedFile | undefined): Steps<void> {
  if (file === undefined) return;
  const details: ErrorDetail[] = [];
  let count = 0;
  const note = (detail: ErrorDetail | null): void => {
    if (detail === null) return;
    count += 1;
    if (details.length < mostListed) details.push(detail);
  };
  let number = 0;
  for (let place = 0; ; place += 1) {
    const shown = yield* storedBlock(bookId, id, place);
    if (shown === null) break;
    for (const decision of shown.decisions) note(changeOf(file, (number += 1), decision));
  }
  for (number += 1; number <= file.entries.count; number += 1) note(newRow(file, number));
  if (count > details.length) details[mostListed - 1] = { errMsg: `${count} rows have changed` };
  if (count > 0) throw new ChangedVerdictsError(details, file);
}

function changeOf(file: ComparedFile, number: number, shown: Decision): ErrorDetail | null {
  const before = { verdict: shown.verdict, known_transaction_id: shown.knownId };
  if (number > file.entries.count) {
    const errMsg = `Row ${number} is no longer in the file as it is read now`;
    return { errMsg, number, verdict: null, known_transaction_id: null, before };
  }
  const { verdict, knownId, why } = file.decisions.of(number);
  if (verdict === shown.verdict && knownId === shown.knownId) return null;
  const was = named(shown.verdict, shown.knownId);
  const errMsg = `Row ${number} is ${named(verdict, knownId)} now, and was ${was} in the preview`;
  return { errMsg, number, verdict, known_transaction_id: knownId, why, before };
}

function newRow(file: ComparedFile, number: number): ErrorDetail {
  const { verdict, knownId, why } = file.decisions.of(number);
  const errMsg = `Row ${number} is ${named(verdict, knownId)}, and was not in the preview`;
  return { errMsg, number, verdict, known_transaction_id: knownId, why, before: null };
}

function named(verdict: PreviewVerdict, id: number | null): string {
  return id === null ? verdict : `${verdict} (transaction ${id})`;
}

/** Deletes the preview with its file and rows. The import stays. */
function* endPreview({ bookId, id }: CommitWork): Steps<void> {
  const of = { book_id: bookId, import_id: id };
  yield* deleteUnlogged(importPreviewEntries, of);
  yield* deleteUnlogged(importPreviewBlocks, of);
  yield* deleteUnlogged(importPreviews, of);
}

/** Remembers the options of an import for files with the same shape, without those that the request removed. */
function* rememberOptions(
  { bookId, without }: CommitWork,
  { shape, remembered, chosen, namesAccounts: isNamed, format }: StoredPreview,
): Steps<void> {
  if (shape === null) return;
  const before = yield* importSettingsOf(bookId, shape);
  const base = { ...withoutOptions(before ?? {}), ...remembered };
  const isForgotten = before !== null && without.some((name) => name in rememberedToWire(before));
  const settings = settingsToSave(isNamed, base, chosen) ?? (isForgotten ? base : null);
  if (settings === null) return;
  if (isEmpty(settings)) yield* forgetImportSettings(bookId, shape);
  else yield* saveImportSettings(bookId, { shape, format }, settings);
}

/** Returns what the command knows and no option can say. */
function withoutOptions({ isWithoutPayee, account }: ImportSettings): ImportSettings {
  return {
    ...(isWithoutPayee !== undefined && { isWithoutPayee }),
    ...(account === null && { account }),
  };
}

/** Returns settings with the names and values that options have in requests. */
export function rememberedToWire(settings: ImportSettings): PreviewOptions {
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

/** What is stored of a file that was compared. */
export interface ComparedPreview {
  readonly file: ComparedFile;
  readonly stored: StoredPreview;
  readonly report: PreviewReport;
  readonly options: PreviewOptions;
}

/** Stores the entries of a file, and what an import of them would do. */
export async function storeCompared(
  engine: Engine,
  { bookId, id }: PreviewWork,
  { file, stored, report, options }: ComparedPreview,
): Promise<void> {
  await storeRows(engine, { book_id: bookId, import_id: id }, file, stored.badRows);
  const { format } = stored;
  await engine.write(function* () {
    yield* updateUnlogged(imports, { book_id: bookId, id }, { format });
    yield* updatePreview(bookId, id, {
      status: 'ready',
      entry_count: file.entries.count,
      report: JSON.stringify(report),
      compared: JSON.stringify(stored),
      worker_until_ms: 0,
      options: JSON.stringify(options),
    });
  });
}

/** Returns the part of a report that depends on the book. */
export function comparedReport(
  { counts, tally, names, values, checked }: ComparedFile,
  { accounts, badRows }: Pick<StoredPreview, 'accounts' | 'badRows'>,
): Omit<
  PreviewReport,
  'format' | 'mapping' | 'remembered' | 'warnings' | 'left_out' | 'bad_rows' | 'errors'
> {
  return {
    verdicts: { ...counts.verdicts, bad: badRows.length },
    imported: counts.imported,
    doubtful_imported: counts.doubtfulImported,
    sums: sumsOf(Object.entries(tally.sumByCurrency)),
    accounts: accountsOf(tally, new Map(accounts), checked),
    accounts_created: names.accountsCreated,
    categories_created: names.categoriesCreated,
    tags_created: names.tagsCreated,
    without_rate: values.result.withoutRate,
    first_date: tally.firstDate,
    last_date: tally.lastDate,
  };
}

/** Returns the sums of accounts; two numbers may have one name. */
function accountsOf(
  { accounts }: ImportTally,
  numbered: ReadonlyMap<string, NumberedAccount>,
  checked: readonly CheckedBalance[],
) {
  const all = accounts.map(({ name, account, rows, sums }) => {
    const shown = name === null ? null : (numbered.get(name)?.name ?? name);
    const id = account?.isEarlier === true ? account.id : null;
    return { name: shown, id, rows, sums, stated: checked.find((each) => each.name === name) };
  });
  const alike = Map.groupBy(all, ({ name, id }) => JSON.stringify([name, id]));
  return [...alike.values()].map((same) => {
    const sums = new Map<string, bigint>();
    for (const each of same)
      for (const [currency, sum] of each.sums) sums.set(currency, (sums.get(currency) ?? 0n) + sum);
    const rows = same.reduce((sum, each) => sum + each.rows, 0);
    const { name, id, stated } = same[0]!;
    const balance = stated === undefined || same.length > 1 ? null : statedToWire(stated);
    return { name, id, rows, sums: sumsOf([...sums]), balance };
  });
}

/** Returns sums as in a response, in the order of their currencies. */
function sumsOf(sums: readonly (readonly [string, bigint])[]) {
  const all = sums.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return all.map(([currency, sum]) => ({ currency, amount: formatAmount(sum) }));
}
