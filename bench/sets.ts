import sql from 'sql-template-tag';
import { changing, type Change } from '../packages/server/src/book/change.ts';
import type { Engine, Steps } from '../packages/server/src/db/engine.ts';
import type { ImportEntry } from '../packages/server/src/imports/entry.ts';
import { idsOf, select } from '../packages/server/src/db/rows.ts';
import {
  categories,
  manualAccounts,
  tags,
  transactions,
} from '../packages/server/src/db/tables/tables.ts';
import { storeRates } from '../packages/server/src/ledger/currencies/actions.ts';
import { mergeAccounts, mergeCategories } from '../packages/server/src/ledger/merge.ts';
import { removeAccount } from '../packages/server/src/ledger/remove.ts';
import { changeBulk } from '../packages/server/src/ledger/transactions/bulk/actions.ts';
import { rerateBooks } from '../packages/server/src/ledger/rerate.ts';
import { transactionRecord } from '../packages/server/src/ledger/transactions/record.ts';
import { RememberedKeys } from '../packages/server/src/pages/remembered-keys.ts';
import { benchEntries } from './measure/book.ts';
import { onBothEngines } from './measure/engines.ts';
import { cpuMs } from './measure/processor-time.ts';
import { measureInTurns } from './measure/turns.ts';
import { importRows, openBook } from './measure/workspace.ts';
import type { Figure } from './report/figure.ts';

const rows = 100_000;
/** What removals, merges, new rates and bulk changes may cost a row, in imports. */
const goal = 2;

/**
 * Compares large changes of a book with an import of its rows, by the processor time for each row of the process, and
 * of the database server.
 */
export function measureSets(folder: string): Promise<Figure[]> {
  return onBothEngines(folder, async (_, name, databasePid, newUrl) => {
    const round = async () => measure(await newUrl(), databasePid);
    const samples = await measureInTurns({ '': round }, { rounds: 3 });
    const kinds = [
      'merge of categories',
      'merge of accounts',
      'removal of an account',
      'new rates',
      'new amounts',
    ];
    return ['removal of a tag', ...kinds].map((kind) =>
      samples.times(`${name}: ${kind} against an import, by row`, kind, 'import', { atMost: goal }),
    );
  });
}

async function measure(url: string, pid: number | null): Promise<Record<string, number>> {
  const { engine, book } = await openBook(url);
  const bookId = book.id;
  const byRow = async (count: number, work: () => Promise<unknown>): Promise<number> =>
    (await cpuMs(work, pid)) / count;
  const change = (work: (change: Change) => Steps<unknown>): Promise<unknown> =>
    engine.write(() => changing({ bookId, actor: 'bench', operation: 'sets' }, work));
  const costs = { import: await byRow(rows, () => importRows(engine, book, manyAlike())) };
  const accounts = await engine.read(() => select(manualAccounts, { book_id: bookId }));
  const [first, second] = await engine.read(() => select(categories, { book_id: bookId }));
  const { tag, tagged } = await tagSome(engine, change, bookId);
  const ofAccount = (id: number) => countOf(engine, sql`manual_account_id = ${id}`);
  const ofCategory = await countOf(engine, sql`category_id = ${first!.id}`);
  const ofOne = await ofAccount(accounts[0]!.id);
  const ofOther = await ofAccount(accounts[1]!.id);
  const foreign = await countOf(engine, sql`currency = 'eur'`);
  const rates = new Map([['usd', new Map([['2000-01-03', '1.25']])]]);
  await engine.write(() => storeRates(rates, 'file'));
  return {
    ...costs,
    'removal of a tag': await byRow(tagged, () =>
      change((to) => transactionRecord.refersTo.tags!.detach(to, tag)),
    ),
    'new rates': await byRow(foreign, () => rerateBooks(engine, { actor: 'command' })),
    'merge of categories': await byRow(ofCategory, () =>
      engine.write(() => mergeCategories(bookId, first!.id, second!.id)),
    ),
    'merge of accounts': await byRow(ofOne, () =>
      engine.write(() => mergeAccounts(bookId, accounts[0]!.id, { into_id: accounts[2]!.id })),
    ),
    'new amounts': await byRow(rows, () =>
      change((to) => changeBulk(to, all, { update: { amount: '12.34' } }, new RememberedKeys(1))),
    ),
    'removal of an account': await byRow(ofOther, async () => {
      await change((to) => removeAccount(to, accounts[1]!, { items: true }));
      await engine.close();
    }),
  };
}

const all = {
  ...{ include_pending: true, include_split_parents: false, include_group_children: false },
  offset: 0,
};

/** The usual entries; a quarter of them is in euro, and another one in one category. */
function* manyAlike(): Generator<ImportEntry> {
  let index = 0;
  for (const entry of benchEntries(rows)) {
    index += 1;
    const category = index % 4 === 1 ? 'Category' : entry.category;
    yield { ...entry, category, currency: index % 4 === 0 ? 'eur' : null };
  }
}

/** Tags a third of the transactions. */
async function tagSome(
  engine: Engine,
  change: (work: (change: Change) => Steps<unknown>) => Promise<unknown>,
  bookId: number,
): Promise<{ readonly tag: number; readonly tagged: number }> {
  await change(function* (to) {
    const { id } = yield* to.insert(tags, { name: 'bench' });
    const ids = yield* idsOf(
      sql`SELECT id FROM transactions WHERE book_id = ${bookId} AND id % 3 = 0`,
    );
    yield* to.updateSet(transactions, ids, { tag_ids: `[${id}]` });
  });
  const [tag] = await engine.read(() => select(tags, { book_id: bookId }));
  return { tag: tag!.id, tagged: await countOf(engine, sql`tag_ids <> '[]'`) };
}

async function countOf(engine: Engine, condition: ReturnType<typeof sql>): Promise<number> {
  return (await engine.read(() => idsOf(sql`SELECT id FROM transactions WHERE ${condition}`)))
    .length;
}
