import type { Change } from '../book/change.ts';
import { insertUnlogged, updateUnlogged } from '../book/unlogged.ts';
import type { Steps } from '../db/engine.ts';
import { imports } from '../db/tables/tables.ts';
import type { ImportPlan, ImportSummary } from './entry.ts';

/** Writes the record of one import: before its first transaction, because that refers to it, or at the end. */
export class ImportRecord {
  readonly #change: Change;
  readonly #plan: ImportPlan;
  #id: number | null = null;

  constructor(change: Change, plan: ImportPlan) {
    this.#change = change;
    this.#plan = plan;
    this.#id = plan.importId ?? null;
  }

  /** Returns the id of the record, which it creates when it is called first. */
  *id(): Steps<number> {
    if (this.#id !== null) return this.#id;
    const { bookId: book_id, at } = this.#change;
    const { format = null, actor = 'command', file } = this.#plan;
    const ofFile = { file_name: file?.name ?? null, file_hash: file?.hash ?? null };
    const row = yield* insertUnlogged(imports, { book_id, at, actor, format, ...ofFile });
    this.#id = row.id;
    return row.id;
  }

  /** Writes what became of the entries. Call it last: an import that changed nothing has no version to undo. */
  *finish(summary: ImportSummary): Steps<number> {
    const id = yield* this.id();
    const { bookId: book_id, isEmpty, version, at } = this.#change;
    const { importId, actor = 'command', format = null } = this.#plan;
    if (importId !== undefined)
      yield* updateUnlogged(imports, { book_id, id }, { at, actor, format, is_preview: false });
    yield* updateUnlogged(
      imports,
      { book_id, id },
      {
        version: isEmpty ? null : version,
        first_date: summary.firstDate,
        last_date: summary.lastDate,
        imported: summary.imported,
        known: summary.skippedDuplicates,
        replaced: summary.replaced,
        doubtful: summary.doubtful.count,
        skipped: summary.skippedByChoice,
        left_out: this.#plan.leftOut ?? 0,
        accounts_created: summary.accountsCreated,
        categories_created: summary.categoriesCreated,
        tags_created: summary.tagsCreated,
      },
    );
    return id;
  }
}
