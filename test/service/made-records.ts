import sql from 'sql-template-tag';
import { changing } from '../../packages/server/src/changes/changing.ts';
import { run } from '../../packages/server/src/db/engine.ts';
import { plaidAccounts } from '../../packages/server/src/db/tables.ts';
import { importEntries } from '../../packages/server/src/main.ts';
import type { Engine } from '../../packages/server/src/main.ts';
import { idOf, newName, withBody } from './recipes.ts';
import type { Service, User } from './started-service.ts';

/** The smallest PNG file: one pixel. */
export const pngBytes = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** Adds a synced account without a connection to a bank. Returns its id. */
export async function addPlaidAccount(engine: Engine, { bookId }: User): Promise<number> {
  const account = {
    ...{ name: newName(), institution_name: 'Bank', type: 'depository', subtype: 'checking' },
    ...{ mask: '1234', currency: 'eur', balance: 10_000, linked_by_name: 'Ada' },
    ...{ date_linked: '2026-01-01', to_base: 10_000 },
  };
  const made = await engine.write(() =>
    changing({ bookId, actor: 'test', operation: 'test' }, (change) =>
      change.insert(plaidAccounts, account),
    ),
  );
  return made.id;
}

/** Imports a file with one transaction into a new account. Returns the id of the import. */
export async function addImport(
  engine: Engine,
  { bookId }: Pick<User, 'bookId'>,
  category: string | null = null,
): Promise<number> {
  const entry = {
    ...{ line: 1, date: '2026-01-04', amount: -25_000, currency: null, payee: newName() },
    ...{ notes: null, category, account: newName(), externalId: null },
  };
  const { importId } = await importEntries(engine, bookId, {
    ...{ entries: () => [entry], defaultAccount: null, dryRun: false, format: 'csv' },
  });
  return importId!;
}

/** The body of a recurring item, once a month. */
export function recurringBody(): object {
  const criteria = {
    ...{ payee: newName(), amount: '9.99', currency: 'eur' },
    ...{ granularity: 'month', quantity: 1, anchor_date: '2026-01-05' },
  };
  return { description: newName(), transaction_criteria: criteria };
}

/** Adds a recurring item, once a month. Returns its id. */
export async function addRecurringItem(service: Service, as: User): Promise<number> {
  return idOf(await service.ask('/coffer/recurring_items', withBody('POST', recurringBody(), as)));
}

/** Forgets all changes of a user's book so far, as the retention of the change log does. */
export async function pruneAll(engine: Engine, { bookId }: Pick<User, 'bookId'>): Promise<void> {
  await engine.write(function* () {
    yield* run(sql`UPDATE books SET pruned_version = version WHERE id = ${bookId}`);
    yield* run(sql`DELETE FROM changes WHERE book_id = ${bookId}`);
  });
}
