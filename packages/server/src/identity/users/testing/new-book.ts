import type { Engine } from '../../../db/engine.ts';
import { createUser } from '../actions.ts';
import type { Book } from '../../../operations/caller.ts';

let users = 0;

/** Creates a user with a new e-mail address and an empty book in US dollars. */
export function newBook(engine: Engine): Promise<Book> {
  users += 1;
  const email = `user${users}@example.com`;
  const user = { email, name: 'Someone', bookName: 'Book', primaryCurrency: 'usd' };
  return engine.write(() => createUser(user));
}
