import { changing } from '../../book/change.ts';
import type { Steps } from '../../db/engine.ts';
import { createRecurring, recurringOf, removeRecurring, updateRecurring } from './items.ts';
import { countLinked } from './links.ts';
import type { RecurringRow } from './rules.ts';
import type { RecurringItemInsert, RecurringItemUpdate } from './schema.ts';

/** Creates a recurring item of a user, as one change of the book. Throws a Problem that lists all that is wrong. */
export function addRecurring(
  bookId: number,
  userId: number,
  body: RecurringItemInsert,
): Steps<RecurringRow> {
  return changing(causeOf(bookId, 'add'), (change) => createRecurring(change, userId, body));
}

/** Changes a recurring item, as one change of the book. Throws a Problem that lists all that is wrong. */
export function changeRecurring(
  bookId: number,
  id: number,
  body: RecurringItemUpdate,
): Steps<RecurringRow> {
  return changing(causeOf(bookId, 'update'), function* (change) {
    return yield* updateRecurring(change, yield* recurringOf(bookId, id), body);
  });
}

/** Removes a recurring item, as one change of the book. Returns the number of transactions that were linked to it. */
export function deleteRecurring(bookId: number, id: number): Steps<number> {
  return changing(causeOf(bookId, 'remove'), function* (change) {
    const item = yield* recurringOf(bookId, id);
    const linked = yield* countLinked(item);
    yield* removeRecurring(change, item);
    return linked;
  });
}

function causeOf(bookId: number, command: string) {
  return { bookId, actor: 'command', operation: `recurring ${command}` };
}
