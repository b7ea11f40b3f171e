import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { find, select } from '../../packages/server/src/db/rows.ts';
import type { Steps } from '../../packages/server/src/db/engine.ts';
import type { Table } from '../../packages/server/src/db/table.ts';
import {
  accessTokens,
  balanceHistory,
  books,
  bookTables,
  categories,
  cryptoAccounts,
  deletedAccounts,
  imports,
  manualAccounts,
  manualCryptoAccounts,
  passkeys,
  plaidAccounts,
  recurringItems,
  rules,
  sessions,
  syncRequests,
  tags,
  transactionFiles,
  transactions,
  webhooks,
} from '../../packages/server/src/db/tables.ts';
import {
  addConnection,
  fillDemo,
  updateWebhook,
  type Engine,
} from '../../packages/server/src/main.ts';
import { bookArbitrary } from '../../packages/server/src/pages/testing/page-model.ts';
import type { DemoBook } from '../../packages/server/src/demo/demo-book.ts';
import type { GoodRequest } from '../../packages/server/src/resources/testing/catalogue.ts';
import type { RecordKind } from '../../packages/server/src/resources/testing/id-places.ts';
import {
  addSession,
  outsideRecords,
} from '../../packages/server/src/resources/testing/outside-records.ts';
import { RecordBook } from '../../packages/server/src/resources/testing/record-book.ts';
import { addOwner, type Owner } from '../../test/service/owners.ts';
import { sendGood, type MarkedOwner } from './two-owners.ts';

const tableOf = {
  ...{ transaction: transactions, split: transactions, group: transactions },
  ...{ file: transactionFiles, manual: manualAccounts, plaid: plaidAccounts },
  ...{ category: categories, categoryGroup: categories, tag: tags },
  ...{ crypto: cryptoAccounts, cryptoManual: manualCryptoAccounts },
  ...{ recurring: recurringItems, rule: rules, entry: balanceHistory, deleted: deletedAccounts },
  ...{ import: imports, undoneImport: imports, preview: imports, webhook: webhooks },
  ...{ session: sessions, passkey: passkeys, token: accessTokens },
} as const satisfies Readonly<Record<RecordKind, Table>>;

/** More than any of two that a request needs. */
const count = 3;

/** Creates an owner with records of every kind: those of a demo book, and others through the API at `url`. */
export async function addMarkedOwner(
  engine: Engine,
  url: string,
  name: string,
): Promise<MarkedOwner> {
  const mark = `mark-of-${name}`;
  const owner = await addOwner(engine, mark);
  await fillDemo(engine, owner.bookId, markedBook(mark));
  const sealedCredentials = new TextEncoder().encode(mark);
  await addConnection(engine, owner.bookId, {
    provider: 'simplefin',
    name: mark,
    sealedCredentials,
  });
  const cookie = await addSession(engine, owner);
  const origin = `http://localhost:${new URL(url).port}`;
  const sender = { ...owner, cookie };
  const send = async (request: GoodRequest): Promise<unknown> => {
    const { status, text } = await sendGood(url, sender, request, { 'user-agent': mark });
    if (status < 300) return text === '' ? undefined : JSON.parse(text);
    throw new Error(`${request.operation.declaration.id} returned ${status}: ${text}`);
  };
  const records = new MarkedBook(
    mark,
    send,
    outsideRecords(engine, owner, origin, () => mark),
  );
  const ids: Partial<Record<RecordKind, readonly number[]>> = {};
  for (const kind of Object.keys(tableOf) as RecordKind[]) {
    const made: number[] = [];
    for (let n = 0; n < count; n += 1) made.push(await records.own(kind));
    ids[kind] = made;
  }
  // Deliveries would change them.
  for (const id of ids.webhook!)
    await engine.write(() => updateWebhook(owner.bookId, id, { enabled: false }));
  const rules = await records.rules();
  const named = await engine.read(() => idsByKind(owner));
  return { ...sender, mark, records, ids: ids as MarkedOwner['ids'], rules, named };
}

class MarkedBook extends RecordBook {
  readonly #mark: string;
  #texts = 0;

  constructor(mark: string, ...rest: ConstructorParameters<typeof RecordBook>) {
    super(...rest);
    this.#mark = mark;
  }

  override fresh(): string {
    return `${this.#mark} ${(this.#texts += 1)}`;
  }
}

function* idsByKind({ bookId, userId }: Owner): Steps<Record<RecordKind, ReadonlySet<number>>> {
  const named: Partial<Record<RecordKind, ReadonlySet<number>>> = {};
  for (const kind of Object.keys(tableOf) as RecordKind[]) {
    const rows =
      kind === 'passkey'
        ? yield* select(passkeys, { user_id: userId })
        : yield* select(tableOf[kind] as typeof imports, { book_id: bookId });
    named[kind] = new Set(rows.map((row) => row.id));
  }
  return named as Record<RecordKind, ReadonlySet<number>>;
}

function markedBook(mark: string): DemoBook {
  const samples = fc.sample(bookArbitrary, { numRuns: 50, seed: 11 });
  const book = samples.find(({ transactions }) => transactions.length > 40)!;
  const marked = <T extends { readonly name: string }>(records: readonly T[]): T[] =>
    records.map((record) => ({ ...record, name: `${mark} ${record.name}` }));
  return {
    ...book,
    manualAccounts: marked(book.manualAccounts),
    plaidAccounts: marked(book.plaidAccounts),
    categories: marked(book.categories),
    tags: marked(book.tags),
    transactions: book.transactions.map((row) => ({
      ...row,
      payee: mark,
      notes: mark,
      originalName: mark,
      plaidMetadata: `{"mark":"${mark}"}`,
      customMetadata: `{"mark":"${mark}"}`,
    })),
  };
}

export async function digestOf(engine: Engine, { bookId, userId }: Owner): Promise<string> {
  const digest = createHash('sha256');
  const tables = [...bookTables, syncRequests, imports, webhooks];
  const rows = await engine.read(function* () {
    const all: unknown[] = [yield* find(books, { id: bookId })];
    for (const table of tables) all.push(yield* select(table, { book_id: bookId }));
    all.push((yield* select(passkeys, { user_id: userId })).map(({ id }) => id));
    // Their last uses change.
    all.push((yield* select(sessions, { book_id: bookId })).map(({ id }) => id));
    const tokens = yield* select(accessTokens, { book_id: bookId });
    all.push(tokens.map((each) => [each.id, each.revoked_at]));
    return all;
  });
  digest.update(JSON.stringify(rows));
  return digest.digest('hex');
}
