import { nameKey } from '@coffer/core/text';
import { toInstant } from '@coffer/core/dates';
import type { Steps } from '../db/engine.ts';
import { find, select } from '../db/rows.ts';
import type { Where } from '../db/rows.ts';
import type { BookTable, Row } from '../db/table.ts';
import { bodyProblem, notFound } from '../wire/problem.ts';

/** The record of the book with that id. Throws the 404 that calls it by its noun. */
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
 * Refuses names that other records of the table have, or that are there twice. Letter case, blanks around them and
 * their Unicode form do not count.
 *
 * `own` is the id of the record that is to have the name, if there is one already.
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
  const taken = new Set(others.map(({ name }) => nameKey(String(name))));
  for (const name of wanted) {
    if (taken.has(nameKey(name)))
      throw bodyProblem({
        errMsg: `${noun} with name '${name}' already exists`,
        instancePath: '/body/name',
        invalid_property: 'name',
        name,
      });
    taken.add(nameKey(name));
  }
}

/** Properties that a request may send back and that nothing changes. */
const systemProperties = new Set(['id', 'created_at', 'updated_at', 'is_group']);

/** Refuses a body that has nothing that could be changed. */
export function refuseNothingToUpdate(noun: string, body: object): void {
  if (Object.keys(body).some((name) => !systemProperties.has(name))) return;
  throw bodyProblem({
    errMsg: `A request to update a ${noun} must include at least one property that can be changed`,
    instancePath: '/body',
  });
}

/** What a body says about archiving. */
interface ArchiveUpdate {
  readonly archived?: boolean;
  readonly archived_at?: string | null;
}

/**
 * When a record was archived, after an update: ISO 8601, or null when it is not archived.
 *
 * `archived` decides when it changes something: true archives at `at`, false brings back. Otherwise `archived_at`
 * counts, where it was sent.
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
