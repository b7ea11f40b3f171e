import { nameKey } from '@coffer/core/text';
import { toInstant } from '@coffer/core/dates';
import type { Steps } from '../db/engine.ts';
import { find, select } from '../db/rows.ts';
import type { Where } from '../db/rows.ts';
import type { Row, Table } from '../db/table.ts';
import { bodyProblem, notFound } from '../wire/problem.ts';

/** A table of records with an id that people give names. */
type Named = Table<'book'>;

/** The record of the book with that id. Throws the 404 that calls it by its noun. */
export function* recordOf<T extends Named>(
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
 * Refuses a name that another record of the table has. Letter case, blanks around it and its Unicode form do not count.
 *
 * `own` is the id of the record that is to have the name, if there is one already.
 */
export function* refuseTakenName(
  table: Named,
  noun: string,
  bookId: number,
  name: string | undefined,
  own?: number,
): Steps<void> {
  if (name === undefined) return;
  const others = yield* select(table, { book_id: bookId });
  const key = nameKey(name);
  if (!others.some((other) => other['id'] !== own && nameKey(String(other['name'])) === key))
    return;
  throw bodyProblem({
    errMsg: `${noun} with name '${name}' already exists`,
    instancePath: '/body/name',
    invalid_property: 'name',
    name,
  });
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

/** The properties that are not undefined. */
export function given<T extends object>(
  properties: T,
): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const pairs = Object.entries(properties).filter(([, value]) => value !== undefined);
  return Object.fromEntries(pairs) as { [K in keyof T]?: Exclude<T[K], undefined> };
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
