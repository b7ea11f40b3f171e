import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { bookArbitrary } from '../packages/server/src/store/store-model.ts';
import type { DemoBook } from '../packages/server/src/records/demo/demo-book.ts';
import type { Store } from '../packages/server/src/main.ts';
import { ndjsonLines } from '../packages/cli/src/ndjson-lines.ts';
import { addOwner, type Owner } from './book.ts';
import type { RecordKind } from './id-positions.ts';

/** An owner with a full book, every text of which has a mark of its owner. */
export interface MarkedOwner extends Owner {
  readonly mark: string;
  readonly ids: Readonly<Record<RecordKind, readonly number[]>>;
}

const nowIso = '2026-01-01T00:00:00.000Z';

/** Makes an owner with records of every kind. Crypto records are made when `hasCrypto`. */
export async function addMarkedOwner(
  store: Store,
  name: string,
  hasCrypto: boolean,
): Promise<MarkedOwner> {
  const mark = `mark-of-${name}`;
  const owner = await addOwner(store, mark);
  await store.fillDemo(owner.bookId, markedBook(mark));
  const crypto = hasCrypto ? await addCrypto(store, owner.bookId, mark) : [];
  const { transactions, manualAccounts, plaidAccounts, categories, tags } = await store.exportBook(
    owner.bookId,
  );
  const idsOf = (records: Iterable<{ readonly id?: unknown }>): number[] =>
    [...records].map(({ id }) => id as number);
  const ids = {
    transaction: idsOf(await Array.fromAsync(transactions)),
    manual: idsOf(manualAccounts),
    plaid: idsOf(plaidAccounts),
    category: idsOf(categories),
    tag: idsOf(tags),
    crypto,
  };
  return { ...owner, mark, ids };
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

async function addCrypto(store: Store, bookId: number, mark: string): Promise<number[]> {
  const sealedCredentials = new TextEncoder().encode(mark);
  const account = { provider: 'kraken', displayName: mark, sealedCredentials, nowIso } as const;
  const id = await store.createCryptoAccount(bookId, account);
  const holding = { symbol: 'btc', name: mark, coingeckoId: null, priceAsOfIso: null };
  const balances = [{ ...holding, quantity: '1.000000000000000000', toBase: null }];
  await store.saveCryptoReading(bookId, id, { readAtIso: nowIso, balances });
  return [id];
}

/** Everything in a book, as one digest: any change of it shows. */
export async function digestOf(
  store: Store,
  { bookId }: Owner,
  hasCrypto: boolean,
): Promise<string> {
  const digest = createHash('sha256');
  const book = await store.exportBook(bookId);
  digest.update(String(book.book.version));
  for await (const line of ndjsonLines(book)) digest.update(line);
  if (hasCrypto) digest.update(JSON.stringify(await store.listCryptoAccounts(bookId)));
  return digest.digest('hex');
}
