import { changing } from '../../book/change.ts';
import { deleteUnlogged } from '../../book/unlogged.ts';
import type { Engine, Steps } from '../../db/engine.ts';
import { importPreviewBlocks, importPreviewRows, importPreviews } from '../../db/tables/tables.ts';
import { bodyProblem, Problem } from '../../operations/problem.ts';
import type { ErrorDetail } from '../../operations/problem.ts';
import type { OnDoubt } from '../entry.ts';
import { importInto } from '../import.ts';
import type { CommitWork } from '../operations/import-service.ts';
import { comparedRows, previewOf, reportOf } from '../operations/preview-records.ts';
import type { PreviewVerdict } from '../operations/preview-schema.ts';
import { openPreview } from './open-preview.ts';
import { planOf } from './preview-rows.ts';
import type { EntryVerdicts } from './preview-rows.ts';
import { comparePreview, memoryIn, rememberOptions, shownSettings } from './read-preview.ts';
import type { OnProgress } from './read-preview.ts';

const comparedAtOnce = 1000;
/** Changed rows that are listed. */
const mostListed = 100;

/** The verdicts are not those that the preview showed. */
class ChangedVerdictsError extends Error {
  override name = 'ChangedVerdictsError';
  readonly details: readonly ErrorDetail[];
  constructor(details: readonly ErrorDetail[]) {
    super('The preview has changed');
    this.details = details;
  }
}

/**
 * Imports a preview with its options, which may have been changed, and with choices for single rows. Remembers the
 * options for such files.
 *
 * Every row must have the verdict that the preview showed; otherwise nothing is imported, the preview is updated, and a
 * Problem names the rows. Rejects with a Problem, or an error of the file or of an import.
 */
export async function commitPreview(
  engine: Engine,
  work: CommitWork,
  file: number,
  onProgress: OnProgress,
): Promise<void> {
  const { bookId, id, actor, operation, options } = work;
  const row = await engine.read(() => previewOf(bookId, id));
  const opened = await openPreview(file, work.bytes, options, {
    onRead: (done, total) => onProgress({ step: 'reading', done, total }),
    memoryOf: memoryIn(engine, bookId),
    shown: shownSettings(reportOf(row), work.without),
  });
  try {
    const total = opened.statement.entryCount;
    const choices = choicesOf(work, total);
    const compared = (done: number): void => onProgress({ step: 'comparing', done, total });
    const { plan, verdicts } = planOf({
      work,
      opened,
      options,
      choices,
      dryRun: false,
      onProgress: compared,
    });
    try {
      await engine.write(() =>
        changing({ bookId, actor, operation }, function* (change) {
          yield* importInto(change, plan);
          yield* refuseChanged(work, verdicts());
          yield* rememberOptions(work, opened);
          yield* endPreview(bookId, id);
        }),
      );
    } catch (error) {
      if (!(error instanceof ChangedVerdictsError)) throw error;
      const { details } = error;
      await comparePreview(engine, work, { opened, options, onProgress, errors: details });
      throw new Problem('importConflict', { details });
    }
  } finally {
    opened.close();
  }
}

function choicesOf({ choices }: CommitWork, entryCount: number): Map<number, OnDoubt> {
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
function* refuseChanged({ bookId, id }: CommitWork, verdicts: EntryVerdicts): Steps<void> {
  const details: ErrorDetail[] = [];
  let count = 0;
  const note = (detail: ErrorDetail): void => {
    count += 1;
    if (details.length < mostListed) details.push(detail);
  };
  let number = 0;
  for (let place = 0; ; place += comparedAtOnce) {
    const shown = yield* comparedRows(bookId, id, place, comparedAtOnce);
    if (shown.length === 0) break;
    for (const row of shown) {
      if (row.number === null) continue;
      number = row.number;
      const change = changeOf(verdicts, number, row.verdict, row.known_id);
      if (change !== null) note(change);
    }
  }
  for (number += 1; number <= verdicts.count; number += 1) note(newRow(verdicts, number));
  if (count > details.length) details[mostListed - 1] = { errMsg: `${count} rows have changed` };
  if (count > 0) throw new ChangedVerdictsError(details);
}

function changeOf(
  verdicts: EntryVerdicts,
  number: number,
  shown: PreviewVerdict,
  shownId: number | null,
): ErrorDetail | null {
  const before = { verdict: shown, known_transaction_id: shownId };
  if (number > verdicts.count) {
    const errMsg = `Row ${number} is no longer in the file as it is read now`;
    return { errMsg, number, verdict: null, known_transaction_id: null, before };
  }
  const { verdict, knownId, why } = verdicts.of(number);
  if (verdict === shown && knownId === shownId) return null;
  const errMsg = `Row ${number} is ${named(verdict, knownId)} now, and was ${named(shown, shownId)} in the preview`;
  return { errMsg, number, verdict, known_transaction_id: knownId, why, before };
}

function newRow(verdicts: EntryVerdicts, number: number): ErrorDetail {
  const { verdict, knownId, why } = verdicts.of(number);
  const errMsg = `Row ${number} is ${named(verdict, knownId)}, and was not in the preview`;
  return { errMsg, number, verdict, known_transaction_id: knownId, why, before: null };
}

function named(verdict: PreviewVerdict, id: number | null): string {
  return id === null ? verdict : `${verdict} (transaction ${id})`;
}

/** Deletes the preview with its file and rows. The import stays. */
function* endPreview(bookId: number, id: number): Steps<void> {
  const of = { book_id: bookId, import_id: id };
  yield* deleteUnlogged(importPreviewRows, of);
  yield* deleteUnlogged(importPreviewBlocks, of);
  yield* deleteUnlogged(importPreviews, of);
}
