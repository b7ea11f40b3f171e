import { nameKey } from '@coffer/core/text';
import { toInstant } from '@coffer/core/dates';
import type { Steps } from '../db/engine.ts';
import { find, select, type Where } from '../db/rows.ts';
import type { BookTable, Row } from '../db/table.ts';
import { categories } from '../db/tables/tables.ts';
import { bodyProblem, notFound } from './problem.ts';

/** Returns the record of the book with this id. Throws a 404 that names it by its noun. */
export function* recordOf<T extends BookTable>(
  table: T,
  noun: string,
  bookId: number,
  id: number,
): Steps<Row<T>> {
  const found = yield* find(table, { book_id: bookId, id } as Where<T>);
  if (found === undefined) throw notFound(noun, id);
  return found;
}

/**
 * Refuses names that are repeated, or that other records of the table have. Letter case, blanks around names and their
 * Unicode form are ignored. `own` is the id of the record that gets the name, if it exists already. Clients read the
 * `code` of a category's refusal.
 */
export function* refuseTakenNames(
  table: BookTable,
  noun: string,
  bookId: number,
  names: readonly (string | undefined)[],
  own?: number,
): Steps<void> {
  const wanted = names.filter((name) => name !== undefined);
  if (wanted.length === 0) return;
  const all = yield* select(table, { book_id: bookId });
  const others = all.filter(({ id }) => id !== own);
  const taken = new Map<string, unknown>();
  for (const { name, id } of others) taken.set(nameKey(String(name)), id);
  for (const name of wanted) {
    const existing = taken.get(nameKey(name));
    if (existing !== undefined)
      throw bodyProblem({
        errMsg: `${noun} with name '${name}' already exists`,
        instancePath: '/body/name',
        invalid_property: 'name',
        name,
        ...(table === categories && {
          code: 'CATEGORY_NAME_ALREADY_EXISTS',
          requested_name: name,
          existing_category_id: existing,
        }),
      });
    taken.set(nameKey(name), null);
  }
}

/** Properties that a request may send back and that have no effect. */
const systemProperties = new Set(['id', 'created_at', 'updated_at', 'is_group']);

/** Refuses a body without any property that can be changed. */
export function refuseNothingToUpdate(noun: string, body: object): void {
  if (Object.keys(body).some((name) => !systemProperties.has(name))) return;
  throw bodyProblem({
    errMsg: `A request to update a ${noun} must include at least one property that can be changed`,
    instancePath: '/body',
  });
}

interface ArchiveUpdate {
  readonly archived?: boolean;
  readonly archived_at?: string | null;
}

/**
 * Returns when a record was archived, after an update: ISO 8601, or null when it is not archived.
 *
 * `archived` takes precedence when it changes something: true archives at `at`, false restores. Otherwise
 * `archived_at` applies if it was sent.
 */
export function archivedAfter(
  before: string | null,
  { archived, archived_at }: ArchiveUpdate,
  at: string,
): string | null {
  if (archived !== undefined && archived !== (before !== null)) return archived ? at : null;
  if (archived_at === undefined) return before;
  return archived_at === null ? null : toInstant(archived_at);
}
