import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { changing } from '../../book/change.ts';
import type { Engine } from '../../db/engine.ts';
import { select } from '../../db/rows.ts';
import { manualAccounts, recurringItems, rules, transactions } from '../../db/tables/tables.ts';
import { engines, usualEngines } from '../../db/testing/engines.ts';
import { removeAccount } from '../../ledger/remove.ts';
import { linesOf, memoryStore, unpacked, type TestLine } from './testing/archives.ts';
import { archived, faultsOf, imported, makeUser, nowMs, openFull } from './testing/full-archive.ts';
import { withoutIds } from './testing/without-ids.ts';

describe('an archive of a book with deleted accounts', () => {
  for (const { name, skip, open } of engines)
    it(`keeps their ids in records, imported to ${name}`, { skip }, async () => {
      const { bytes, gone } = await withoutAccounts();
      const empty = await open(() => nowMs);
      const files = memoryStore();
      await imported(empty, bytes, { files });
      assert.deepEqual(await archived(empty, files, 1), bytes);
      assert.deepEqual(await faultsOf(empty), []);
      const last = Math.max(...gone);
      assert.ok((await newAccount(empty, 1)) > last);

      const target = await open(() => nowMs);
      const { id: other, userId } = await makeUser(target);
      const before = await newAccount(target, other);
      const copies: number[][] = [];
      for (const copy of ['one', 'two']) {
        const book = await imported(target, bytes, { userId, name: copy });
        const again = await archived(target, memoryStore(), book.id);
        const [old, own] = [bytes, again].map((each) => linesOf(unpacked(each)));
        assert.deepEqual(withoutIds(own!, userId), withoutIds(old!, 1));
        const named = deletedIn(own!);
        // The same account has the same new id in every record.
        const newIds = new Map(deletedIn(old!).map((id, place) => [id, named[place]!]));
        assert.deepEqual([...newIds.keys()].toSorted(), gone.toSorted());
        assert.deepEqual(
          named,
          deletedIn(old!).map((id) => newIds.get(id)),
        );
        copies.push([...newIds.values()]);
      }
      const reserved = copies.flat();
      assert.equal(new Set(reserved).size, 2 * gone.length);
      assert.ok(Math.min(...reserved) > before);
      assert.ok((await newAccount(target, other)) > Math.max(...reserved));
      const accounts = await target.read(() => select(manualAccounts, {}));
      assert.ok(accounts.every(({ id }) => !reserved.includes(id)));
      assert.deepEqual(await faultsOf(target), []);
    });

  it('is imported where no account ever was', async () => {
    const { bytes } = await withoutAccounts();
    for (const { open } of usualEngines) {
      const target = await open(() => nowMs);
      const { userId } = await makeUser(target);
      const { id } = await imported(target, bytes, { userId });
      assert.deepEqual(await faultsOf(target), []);
      const named = deletedIn(linesOf(unpacked(await archived(target, memoryStore(), id))));
      assert.ok((await newAccount(target, id)) > Math.max(...named));
    }
  });
});

/** Deletes accounts that records name, and returns the archive of the book and the ids. */
async function withoutAccounts(): Promise<{ bytes: Buffer; gone: number[] }> {
  const { engine, files } = await openFull();
  const cause = { bookId: 1, actor: 'test', operation: 'test' };
  const gone = await engine.write(() =>
    changing(cause, function* (change) {
      const all = yield* select(manualAccounts, { book_id: 1 });
      const removed = all.toSorted((a, b) => b.id - a.id);
      const [item] = yield* select(recurringItems, { book_id: 1 });
      const [rule] = yield* select(rules, { book_id: 1 });
      const rows = yield* select(transactions, { book_id: 1, plaid_account_id: null });
      // Ids in another order than that of the records.
      for (const [place, { id }] of removed.entries())
        yield* change.update(transactions, rows[place]!, { manual_account_id: id });
      yield* change.update(recurringItems, item!, {
        manual_account_id: removed[1]!.id,
        plaid_account_id: null,
      });
      yield* change.update(rules, rule!, {
        conditions: JSON.stringify({ manual_account_id: removed[0]!.id }),
      });
      for (const account of removed) yield* removeAccount(change, account);
      return removed.map(({ id }) => id);
    }),
  );
  assert.ok(gone.length > 1);
  const bytes = await archived(engine, files, 1);
  const lines = linesOf(unpacked(bytes));
  const naming = ['transactions', 'recurring_items', 'rules'].map((table) =>
    deletedIn(lines.filter((line) => line.table === table)),
  );
  assert.ok(naming.every((ids) => ids.length > 0));
  return { bytes, gone };
}

/** The manual accounts that records of an archive without manual accounts name, in the order of the records. */
function deletedIn(lines: readonly TestLine[]): number[] {
  return lines
    .filter(({ table }) => table !== 'import_origins')
    .map(({ row }) =>
      Number(
        row['manual_account_id'] ??
          /"manual_account_id":(\d+)/.exec(String(row['conditions']))?.[1] ??
          0,
      ),
    )
    .filter((id) => id > 0);
}

/** Creates a manual account, and returns its id. */
async function newAccount(engine: Engine, bookId: number): Promise<number> {
  const cause = { bookId, actor: 'test', operation: 'test' };
  return engine.write(() =>
    changing(cause, function* (change) {
      const { id } = yield* change.insert(manualAccounts, {
        name: `Account ${bookId}`,
        type: 'cash',
        currency: 'usd',
        balance: 0,
        balance_as_of: change.at,
        created_by_name: 'Me',
        created_at: change.at,
        updated_at: change.at,
      });
      return id;
    }),
  );
}
