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
import { changing } from '../../packages/server/src/changes/changing.ts';
import {
  addConnection,
  fillDemo,
  linkCryptoAccount,
  updateWebhook,
  type Engine,
} from '../../packages/server/src/main.ts';
import { bookArbitrary } from '../../packages/server/src/pages/testing/page-model.ts';
import type { DemoBook } from '../../packages/server/src/demo/demo-book.ts';
import { findAccount, saveReading } from '../../packages/server/src/resources/crypto/actions.ts';
import { addWebhook } from '../../packages/server/src/resources/webhooks/actions.ts';
import { logAttempt } from '../../packages/server/src/resources/webhooks/deliveries.ts';
import { addOwner, type Owner } from '../../test/service/owners.ts';
import { addImports } from './marked-imports.ts';
import { addRecords } from './marked-records.ts';
import { addSignIns } from './marked-sign-ins.ts';

/** The kinds of records with ids. */
export type RecordKind =
  | 'transaction'
  | 'split'
  | 'group'
  | 'file'
  | 'manual'
  | 'plaid'
  | 'category'
  | 'categoryGroup'
  | 'tag'
  | 'crypto'
  | 'cryptoManual'
  | 'recurring'
  | 'rule'
  | 'import'
  | 'undoneImport'
  | 'preview'
  | 'webhook'
  | 'session'
  | 'passkey'
  | 'token'
  | 'entry'
  | 'deleted';

/** An owner with a filled book, in which every text contains the mark of the owner. */
export interface MarkedOwner extends Owner {
  readonly mark: string;
  /** The secret in the cookie of a session that is not among the records. */
  readonly cookie: string;
  /** Records that were created for the check. */
  readonly ids: Readonly<Record<RecordKind, readonly number[]>>;
  /** All records that an id of a kind can name: of all kinds in the same table. */
  readonly named: Readonly<Record<RecordKind, ReadonlySet<number>>>;
}

const tableOf = {
  ...{ transaction: transactions, split: transactions, group: transactions },
  ...{ file: transactionFiles, manual: manualAccounts, plaid: plaidAccounts },
  ...{ category: categories, categoryGroup: categories, tag: tags },
  ...{ crypto: cryptoAccounts, cryptoManual: manualCryptoAccounts },
  ...{ recurring: recurringItems, rule: rules, entry: balanceHistory, deleted: deletedAccounts },
  ...{ import: imports, undoneImport: imports, preview: imports, webhook: webhooks },
  ...{ session: sessions, passkey: passkeys, token: accessTokens },
} as const satisfies Readonly<Record<RecordKind, Table>>;

/** Creates an owner with records of every kind: some in the database, the others through the API at `url`. */
export async function addMarkedOwner(
  engine: Engine,
  url: string,
  name: string,
): Promise<MarkedOwner> {
  const mark = `mark-of-${name}`;
  const owner = await addOwner(engine, mark);
  await fillDemo(engine, owner.bookId, markedBook(mark));
  const crypto = await addCrypto(engine, owner.bookId, mark);
  const sealedCredentials = new TextEncoder().encode(mark);
  await addConnection(engine, owner.bookId, {
    provider: 'simplefin',
    name: mark,
    sealedCredentials,
  });
  const webhook = await addWebhooks(engine, owner.bookId, mark);
  const imported = await addImports(engine, url, owner, mark);
  const { cookie, ...signedIn } = await addSignIns(engine, owner, mark);
  const made = { ...(await addRecords(url, owner, mark)), ...imported, webhook, ...signedIn };
  const named = await engine.read(() => idsByKind(owner));
  const [plaid, entry, deleted] = [named.plaid, named.entry, named.deleted].map((all) => [...all]);
  const ids = { ...made, crypto: [crypto], plaid: plaid!, entry: entry!, deleted: deleted! };
  return { ...owner, mark, cookie, ids, named };
}

/** Adds disabled webhooks, each with an attempt. Nothing listens at their URL. */
async function addWebhooks(engine: Engine, bookId: number, mark: string): Promise<number[]> {
  const webhook = {
    ...{ url: `http://127.0.0.1:9/${mark}`, description: mark, records: null, kinds: null },
    ...{ actor: 'command', sealedSecret: new TextEncoder().encode(mark), from: null },
  };
  const ids: number[] = [];
  for (let n = 0; n < 10; n += 1)
    await engine.write(function* () {
      const row = yield* addWebhook(bookId, webhook);
      const outcome = { status: 204, error: null, retryAfterMs: null, durationMs: 1 };
      yield* logAttempt(row, { kind: 'ping', messageId: mark, outcome, nowMs: 0 });
      yield* updateWebhook(bookId, row.id, { enabled: false });
      ids.push(row.id);
    });
  return ids;
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

async function addCrypto(engine: Engine, bookId: number, mark: string): Promise<number> {
  const sealedCredentials = new TextEncoder().encode(mark);
  const account = { provider: 'kraken', displayName: mark, sealedCredentials } as const;
  const id = await linkCryptoAccount(engine, bookId, account);
  const holding = { symbol: 'btc', name: mark, coingeckoId: null, priceAsOfIso: null };
  const balances = [{ ...holding, quantity: '1.000000000000000000', toBase: null }];
  const reading = { readAtIso: '2026-01-01T00:00:00.000Z', balances };
  const cause = { bookId, actor: 'command', operation: 'test' };
  await engine.write(() =>
    changing(cause, function* (change) {
      return yield* saveReading(change, (yield* findAccount(bookId, id))!, reading);
    }),
  );
  return id;
}

/** Returns a digest of everything in a book, which changes with any record. */
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
