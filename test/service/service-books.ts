import { fillDemo } from '../../packages/server/src/demo/fill.ts';
import { openDatabase } from '../../packages/server/src/database.ts';
import { readConfig } from '../../packages/server/src/config.ts';
import { insertUnlessTaken } from '../../packages/server/src/book/unlogged.ts';
import { changing } from '../../packages/server/src/book/change.ts';
import { select } from '../../packages/server/src/db/rows.ts';
import { jobRuns, transactions } from '../../packages/server/src/db/tables/tables.ts';
import { contentOf } from '../../packages/server/src/files/content.ts';
import { newKey } from '../../packages/server/src/files/store.ts';
import { attachFile } from '../../packages/server/src/ledger/transactions/attachments/actions.ts';
import { createRecurring } from '../../packages/server/src/ledger/recurring/items.ts';
import { jobsOf } from '../../packages/server/src/all-jobs.ts';
import { noServices } from '../../packages/server/src/services.ts';
import type { Steps, Engine } from '../../packages/server/src/db/engine.ts';
import { specEngine, type SpecDatabase, type SpecEngine } from './engine.ts';
import { entryOf, importInto } from './imported.ts';
import { addOwner, type Owner } from './owners.ts';
import { attached, recurring, smallBook } from './small-book.ts';

export interface User extends Owner {
  readonly name: string;
}

/** More rows than a page of the default limit. */
export const manyRows = 1_003;

export interface Books {
  readonly database: SpecDatabase;
  readonly engine: Engine;
  readonly ada: User;
  readonly ben: User;
  remove(): Promise<void>;
}

type Template = Pick<Books, 'database' | 'ada' | 'ben'>;

const templates = new Map<SpecEngine, Promise<Template>>();

export async function makeBooks(): Promise<Books> {
  const { database, ada, ben } = await copyOrFill(specEngine());
  const engine = await open(database, () => Date.parse(importedAt));
  const remove = async (): Promise<void> => {
    await engine.close();
    database.remove();
  };
  return { database, engine, ada, ben, remove };
}

function open({ url }: SpecDatabase, now: () => number): Promise<Engine> {
  return openDatabase(readConfig({ database: url }, {}).database, { now });
}

async function copyOrFill(kind: SpecEngine): Promise<Template> {
  if (kind.copyDatabase === undefined) return fill(await kind.newDatabase());
  const template = templates.get(kind) ?? makeTemplate(kind);
  templates.set(kind, template);
  const { database, ...users } = await template;
  return { database: await kind.copyDatabase(database), ...users };
}

async function makeTemplate(kind: SpecEngine): Promise<Template> {
  const template = await fill(await kind.newDatabase());
  process.once('exit', () => template.database.remove());
  return template;
}

async function fill(database: SpecDatabase): Promise<Template> {
  // Users are created a millisecond earlier, because each change of a book has a later time than the one before it.
  let nowMs = Date.parse(importedAt) - 1;
  const engine = await open(database, () => nowMs);
  const ada = await addUser(engine, 'ada');
  const ben = await addUser(engine, 'ben');
  nowMs += 1;
  await fillDemo(engine, ada.bookId, smallBook);
  await engine.write(() => addMore(ada));
  await engine.write(noteJobs);
  await addRows(engine, ben, manyRows);
  await engine.close();
  return { database, ada, ben };
}

/** Notes that every job has just run, so that none changes a book in the middle of a test. */
function* noteJobs(): Steps<void> {
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const ran_at = new Date().toISOString();
  for (const { name } of jobsOf({ ratesUrl: 'http://127.0.0.1', historyDays: 1 }, noServices, log))
    yield* insertUnlessTaken(jobRuns, { name, ran_at });
}

function* addMore({ bookId, userId }: User): Steps<void> {
  yield* changing({ bookId, actor: 'test', operation: 'fill' }, function* (change) {
    const { payee, file } = attached;
    const [row] = yield* select(transactions, { book_id: bookId, payee });
    const { name, type, notes, size } = file;
    yield* attachFile(change, {
      transactionId: row!.id,
      uploadedBy: userId,
      key: newKey(bookId),
      file: { name, type, notes },
      content: contentOf(new Uint8Array(1024 * size)),
    });
    yield* createRecurring(change, userId, recurring.body);
  });
}

/** The time at which ben's records were imported; west of UTC it is the day before. */
export const importedAt = '2026-03-15T00:30:00.000Z';

export async function addUser(engine: Engine, name: string): Promise<User> {
  const more = { email: `${name}@example.org`, bookName: `${name}'s book`, primaryCurrency: 'eur' };
  return { name, ...(await addOwner(engine, name, more, 'a test')) };
}

/** Imports rows with different amounts into a user's book, spread over five days of 2025, or all on `date`. */
export async function addRows(
  engine: Engine,
  user: User,
  count: number,
  date?: string,
): Promise<void> {
  const entries = Array.from({ length: count }, (_, place) =>
    entryOf({
      line: place + 1,
      date: date ?? `2025-07-0${1 + (place % 5)}`,
      amount: -(place + 1) * 100,
      payee: `${date ?? 'import'} ${place}`,
    }),
  );
  await importInto(engine, user.bookId, entries);
}
