import { makeDemoBook } from '@coffer/server/demo';
import type { Book, Store } from '@coffer/server';
import { Failure, Misuse } from './failure.ts';
import { quote } from './printable.ts';

export const demoEmail = 'demo@coffer.example';

/** Whose demo book is made, and of what size. */
export interface DemoPlan {
  readonly email: string;
  /** Of the demo book; undefined for the usual ones. */
  readonly transactions: number | undefined;
  readonly seed: number | undefined;
  readonly now: Date;
}

/** Tells a demo book from a book with records of a person. */
const demoBookName = 'Demo Household';

/**
 * Makes the user with the demo book, or finds them; `isNew` says which.
 *
 * A book that was made but not filled, because the command was killed in between, is filled now. Throws
 * {@link Failure} when the user has another book, or a demo book although a certain one is asked for.
 */
export async function ensureDemoBook(
  store: Store,
  plan: DemoPlan,
): Promise<{ book: Book; isNew: boolean }> {
  const [earlier] = await store.findBooks(plan.email);
  if (earlier !== undefined && plan.email !== demoEmail && earlier.name !== demoBookName) {
    throw new Failure(`${quote(plan.email)} has a book of another kind: choose another --email`);
  }
  if (earlier !== undefined && !(await isEmptyBook(store, earlier.id))) {
    if (plan.transactions === undefined && plan.seed === undefined) {
      return { book: earlier, isNew: false };
    }
    throw new Failure(`${quote(plan.email)} has a demo book already: choose another --email`);
  }
  const demo = makeDemo(plan);
  const book = earlier ?? (await store.createUser(demoUser(plan, demo.primaryCurrency)));
  await store.fillDemo(book.id, demo);
  return { book, isNew: true };
}

function makeDemo({ transactions, seed }: DemoPlan): ReturnType<typeof makeDemoBook> {
  try {
    return makeDemoBook({
      ...(transactions === undefined ? {} : { transactions }),
      ...(seed === undefined ? {} : { seed }),
    });
  } catch (error) {
    if (error instanceof RangeError) throw new Misuse(error.message);
    throw error;
  }
}

function demoUser({ email, now }: DemoPlan, primaryCurrency: string): NewUser {
  const nowIso = now.toISOString();
  return { email, name: 'Demo', bookName: demoBookName, primaryCurrency, nowIso };
}

type NewUser = Parameters<Store['createUser']>[0];

/** The demo book comes whole or not at all, so its categories tell. */
async function isEmptyBook(store: Store, bookId: number): Promise<boolean> {
  return (await store.listCategories(bookId)).length === 0;
}
