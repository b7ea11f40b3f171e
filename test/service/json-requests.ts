import sql from 'sql-template-tag';
import { run, type Engine } from '../../packages/server/src/db/engine.ts';
import { entryOf, importInto } from './imported.ts';
import type { Answer } from './http-exchange.ts';
import type { Asking, Service } from './started-service.ts';
import type { User } from './service-books.ts';

export interface GoodRequest {
  readonly target: string;
  readonly asking: Asking & { readonly method: string };
}

let names = 0;

export function newName(): string {
  return `Made ${(names += 1)}`;
}

export function withBody(method: string, body: unknown, as?: User): GoodRequest['asking'] {
  const headers = ['Content-Type', 'application/json'];
  return { method, headers, body: JSON.stringify(body), ...(as && { as }) };
}

export function idOf({ status, text }: Answer): number {
  if (status >= 300) throw new Error(`A record was refused with ${status}: ${text}`);
  return (JSON.parse(text) as { id: number }).id;
}

export async function post(
  service: Service,
  path: string,
  body: unknown,
  as: User = service.ada,
): Promise<number> {
  return idOf(await service.ask(path, withBody('POST', body, as)));
}

export async function addImport(
  engine: Engine,
  { bookId }: Pick<User, 'bookId'>,
  { category = null, rows = 1 }: { category?: string | null; rows?: number } = {},
): Promise<number> {
  const account = newName();
  const entries = Array.from({ length: rows }, (_, n) => {
    const row = { line: n + 1, date: '2026-01-04', amount: -25_000, payee: newName() };
    return entryOf({ ...row, category, account });
  });
  return (await importInto(engine, bookId, entries, { format: 'csv' })).importId!;
}

/** Adds a recurring item, once a month. Returns its id. */
export function addRecurringItem(service: Service, as: User): Promise<number> {
  const transaction_criteria = {
    payee: newName(),
    amount: '9.99',
    currency: 'eur',
    granularity: 'month',
    quantity: 1,
    anchor_date: '2026-01-05',
  };
  const body = { description: newName(), transaction_criteria };
  return post(service, '/coffer/recurring_items', body, as);
}

/** Forgets all changes of a user's book so far, as the retention of the change log does. */
export async function pruneAll(engine: Engine, { bookId }: Pick<User, 'bookId'>): Promise<void> {
  await engine.write(function* () {
    yield* run(sql`UPDATE books SET pruned_version = version WHERE id = ${bookId}`);
    yield* run(sql`DELETE FROM changes WHERE book_id = ${bookId}`);
  });
}
