import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { ndjsonLines } from '../../packages/cli/src/commands/export/ndjson-lines.ts';
import { changing } from '../../packages/server/src/changes/changing.ts';
import {
  exportBook,
  fillDemo,
  linkCryptoAccount,
  type Engine,
} from '../../packages/server/src/main.ts';
import { bookArbitrary } from '../../packages/server/src/pages/testing/page-model.ts';
import type { DemoBook } from '../../packages/server/src/demo/demo-book.ts';
import { findAccount, saveReading } from '../../packages/server/src/resources/crypto/actions.ts';
import { addOwner, type Owner } from '../run/book.ts';
import type { RecordKind } from './id-places.ts';

/** An owner with a filled book, in which every text contains the mark of the owner. */
export interface MarkedOwner extends Owner {
  readonly mark: string;
  readonly ids: Readonly<Record<RecordKind, readonly number[]>>;
  /** The id of the category group. */
  readonly group: number;
}

/** Creates an owner with records of every kind. */
export async function addMarkedOwner(engine: Engine, name: string): Promise<MarkedOwner> {
  const mark = `mark-of-${name}`;
  const owner = await addOwner(engine, mark);
  await fillDemo(engine, owner.bookId, markedBook(mark));
  const crypto = await addCrypto(engine, owner.bookId, mark);
  const { transactions, ...records } = await exportBook(engine, owner.bookId);
  const idsOf = (all: Iterable<{ readonly id?: unknown }>): number[] =>
    [...all].map(({ id }) => id as number);
  const ids = {
    transaction: idsOf(await Array.fromAsync(transactions)),
    manual: idsOf(records.manualAccounts),
    plaid: idsOf(records.plaidAccounts),
    category: idsOf(records.categories),
    tag: idsOf(records.tags),
    crypto: [crypto],
  };
  const group = records.categories.find((each) => each.is_group)!.id;
  return { ...owner, mark, ids, group };
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
export async function digestOf(engine: Engine, { bookId }: Owner): Promise<string> {
  const digest = createHash('sha256');
  const book = await exportBook(engine, bookId);
  digest.update(String(book.book.version)).update(JSON.stringify(book.cryptoAccounts));
  for await (const line of ndjsonLines(book)) digest.update(line);
  return digest.digest('hex');
}
