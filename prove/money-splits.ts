import * as fc from 'fast-check';
import { join } from 'node:path';
import type { DemoBook, DemoTransaction } from '../packages/server/src/records/demo/demo-book.ts';
import { bookArbitrary } from '../packages/server/src/store/store-model.ts';
import { addOwner, useStore } from './book.ts';
import type { Outcome } from './check.ts';
import { splitOf, type Random } from './money-model.ts';

const mostParts = 7;
/** One in so many splits is off by a ten-thousandth. */
const wrongEvery = 10;

/** Transactions that are split into parts: the doctor must find those that do not add up, and no other. */
export async function proveSplits(
  folder: string,
  splits: number,
  random: Random,
): Promise<Outcome> {
  const [template] = fc.sample(bookArbitrary, { numRuns: 1, seed: 1 });
  const rows: DemoTransaction[] = [];
  const wrong: number[] = [];
  for (let n = 0; n < splits; n += 1) {
    const amount = random.amount();
    const parts = splitOf(amount, 1 + random.below(mostParts), random).map(Number);
    const isWrong = n % wrongEvery === 0;
    // Towards zero, so that it can still be stored.
    if (isWrong) parts[0] = parts[0]! > 0 ? parts[0]! - 1 : parts[0]! + 1;
    if (isWrong) wrong.push(rows.length + 1);
    const parent = rows.length;
    rows.push(transaction({ amount: Number(amount), isSplitParent: true }));
    for (const part of parts) rows.push(transaction({ amount: part, splitParent: parent }));
  }
  const book: DemoBook = { ...template!, transactions: rows };
  const found = await useStore(join(folder, 'splits.db'), async (store) => {
    const { bookId } = await addOwner(store, 'splits');
    await store.fillDemo(bookId, book);
    return store.check({ repair: false });
  });
  const named = found.map(({ check, detail }) =>
    check === 'splits' ? Number(/\d+/.exec(detail)?.[0]) : detail,
  );
  const problems =
    named.join() === wrong.join() ? [] : [`found ${named.join()}, not ${wrong.join()}`];
  return { figure: `${wrong.length} of ${splits} splits found not to add up`, problems };
}

function transaction(fields: Partial<DemoTransaction>): DemoTransaction {
  return {
    date: '2024-02-29',
    amount: 0,
    currency: 'usd',
    toBase: fields.amount ?? 0,
    payee: 'a part',
    originalName: null,
    notes: null,
    category: null,
    manualAccount: null,
    plaidAccount: null,
    tags: [],
    status: 'reviewed',
    isPending: false,
    source: null,
    externalId: null,
    isSplitParent: false,
    isGroupParent: false,
    splitParent: null,
    groupParent: null,
    plaidMetadata: null,
    customMetadata: null,
    ...fields,
  };
}
