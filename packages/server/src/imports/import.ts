import { changing } from '../book/change.ts';
import type { Change } from '../book/change.ts';
import type { Engine, Steps } from '../db/engine.ts';
import { mayDiffer, writeImport } from './commit.ts';
import type { Written } from './commit.ts';
import { compareEntries, sourceOf } from './compare.ts';
import type { ComparedFile } from './compare.ts';
import type { ImportPlan, ImportSummary } from './entry.ts';
import { becomesNew } from './row-writers.ts';

/*
 * Imports of statements, for commands and requests, in four steps:
 *
 * 1. A file is opened and read (`statements`).
 * 2. Its entries are kept (`EntryBlocks`; those of previews in the database).
 * 3. They are compared with the book on a snapshot, without the lock of the book (`compare.ts`).
 * 4. The import is written under the lock, by what was decided (`commit.ts`). If the book has changed since the
 *    snapshot, the kept entries are compared again.
 *
 * `plan.choices` says what happens to single entries, by their number in the file; `plan.onDoubt` says it for all
 * entries that may be in the book. `plan.onVerdict` receives the verdict on each entry, with the id of the transaction
 * that it is or may be.
 *
 * The rules are in docs/reference/statements.md, "Entries that the book has". Each transaction keeps the import that
 * created it (`import_id`), and so the format; `import_forms` has how files of other formats had it.
 */

/** Imports the entries of a statement, all or nothing. Rejects with an ImportRefusedError when one is not valid. */
export async function importEntries(
  engine: Engine,
  bookId: number,
  plan: ImportPlan,
): Promise<ImportSummary> {
  const file = await compareFile(engine, bookId, plan);
  try {
    return plan.dryRun ? summaryOf(plan, file) : await commitFile(engine, bookId, plan, file);
  } finally {
    file.entries.close();
  }
}

/** Compares the entries of a statement with a book, without changes. The caller closes the entries of the result. */
export function compareFile(
  engine: Engine,
  bookId: number,
  plan: ImportPlan,
): Promise<ComparedFile> {
  return engine.read(() => compareEntries(bookId, plan, sourceOf(plan.entries())));
}

/** Imports a file that was compared. Its choices may have been made since. Rejects as {@link importEntries} does. */
export function commitFile(
  engine: Engine,
  bookId: number,
  plan: ImportPlan,
  file: ComparedFile,
): Promise<ImportSummary> {
  const cause = { bookId, actor: 'command', operation: 'import' };
  const write = function* (change: Change): Steps<ImportSummary> {
    const now = (yield* mayDiffer(bookId, file.version))
      ? yield* comparedAgain(bookId, plan, file)
      : file;
    try {
      return summaryOf(plan, now, yield* writeImport(change, plan, now, now.tally));
    } finally {
      if (now !== file) now.entries.close();
    }
  };
  return engine.write(() => changing(cause, write), { isLarge: true });
}

/** Compares the kept entries of a file with the book as it is now. */
function comparedAgain(
  bookId: number,
  plan: ImportPlan,
  { entries }: ComparedFile,
): Steps<ComparedFile> {
  return compareEntries(bookId, asPlanned(plan), sourceOf(entries));
}

/** Returns a plan for entries that have their accounts and currencies already. */
export function asPlanned({ accountOf: _, onProgress: __, ...plan }: ImportPlan): ImportPlan {
  return { ...plan, defaultAccount: null };
}

/** Returns what an import did, or else what it would do. */
export function summaryOf(
  { choices, onDoubt }: ImportPlan,
  file: ComparedFile,
  written?: Written,
): ImportSummary {
  const { counts, names, values } = written ?? file;
  const { firstDate, lastDate, sumByCurrency } = file.tally;
  return {
    importId: written?.importId ?? null,
    imported: counts.imported,
    skippedDuplicates: counts.known,
    replaced: counts.replaced,
    skippedByChoice: counts.skippedByChoice,
    doubtful: {
      count: counts.verdicts.doubtful,
      entries: file.doubtful.map(({ isLeftOut, ...entry }) => {
        const decision = { verdict: 'doubtful', isLeftOut } as const;
        return { ...entry, isImported: becomesNew(decision, choices?.get(entry.number), onDoubt) };
      }),
    },
    accountsCreated: names.accountsCreated,
    categoriesCreated: names.categoriesCreated,
    tagsCreated: names.tagsCreated,
    firstDate,
    lastDate,
    sumByCurrency,
    balances: file.checked,
    ...values.result,
  };
}
