import { find } from '../db/rows.ts';
import { books } from '../db/tables/tables.ts';
import { changing, NoSuchBookError } from '../book/change.ts';
import type { Change } from '../book/change.ts';
import type { Engine, Steps } from '../db/engine.ts';
import { storableEntry } from './entry.ts';
import type { ImportPlan, ImportSummary } from './entry.ts';
import { ImportRun } from './import-run.ts';

/*
 * Imports of statements, for commands and requests:
 *
 * - `importEntries` imports the entries of a file, all or nothing. `plan.choices` says what happens to single entries,
 *   by their number in the file; `plan.onDoubt` says it for all entries that may be in the book.
 * - A preview is `importEntries` with `dryRun`: `plan.onVerdict` receives the verdict on each entry, with the id of the
 *   transaction that it is or may be. Nothing is written. If the engine restarts the transaction, `plan.entries` is
 *   called again, and the verdicts so far are void.
 *
 * `importInto` is the import as a part of a change, whose version is that of the import in the change log.
 *
 * The rules are in docs/reference/statements.md, "Entries that the book has". Each transaction keeps the import that
 * created it (`import_id`), and so the format; `import_forms` has how files of other formats had it.
 */

const progressEvery = 5000;

/** Imports the entries of a statement, all or nothing. Rejects with an ImportRefusedError when one is not valid. */
export function importEntries(
  engine: Engine,
  bookId: number,
  plan: ImportPlan,
): Promise<ImportSummary> {
  const cause = { bookId, actor: 'command', operation: 'import' };
  return engine.write(() => changing(cause, (change) => importInto(change, plan)), {
    rollback: plan.dryRun,
  });
}

/** Imports the entries of a statement as part of a change. Throws as {@link importEntries} rejects. */
export function* importInto(change: Change, plan: ImportPlan): Steps<ImportSummary> {
  const book = yield* find(books, { id: change.bookId });
  if (book === undefined) throw new NoSuchBookError(change.bookId);
  const importing = new ImportRun(change, book.primary_currency, plan);
  let read = 0;
  for (const entry of plan.entries()) {
    yield* importing.take(storableEntry(entry));
    read += 1;
    if (read % progressEvery === 0) plan.onProgress?.(read);
  }
  plan.onProgress?.(read);
  return yield* importing.finish();
}
