import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import fc from 'fast-check';
import type { Engine } from '../db/engine.ts';
import { find, select } from '../db/rows.ts';
import { categories, manualAccounts, tags, transactions } from '../db/tables.ts';
import { engines } from '../db/testing/engines.ts';
import { checkDatabase } from '../maintenance/doctor.ts';
import { splitTransaction } from '../resources/transactions/splits/split.ts';
import { undone } from './testing/book-state.ts';
import { changeArbitrary } from './testing/random-changes.ts';
import { addTransaction, UndoneBook } from './testing/undone-book.ts';

for (const { name, skip, open } of engines) {
  describe(`undo of the rest on ${name}`, { skip }, () => {
    let engine: Engine;
    before(async () => {
      engine = await open(() => Date.parse('2026-01-01T00:00:00.000Z'));
    });

    it('leaves each record as it is, or as an undo makes it, and no reference to a missing record', async () => {
      const changes = fc.array(changeArbitrary, { minLength: 3, maxLength: 8 });
      const outcomes = { whole: 0, partly: 0 };
      await fc.assert(
        fc.asyncProperty(changes, fc.nat(), async (changes, picked) => {
          const book = await UndoneBook.open(engine);
          const states = new Map([[await book.version(), await book.state()]]);
          for (const writes of changes) states.set(await book.perform(writes), await book.state());
          const versions = [...states.keys()];
          const version = versions[1 + (picked % Math.max(1, versions.length - 1))];
          if (version === undefined) return;
          const now = await book.state();
          const whole = undone(now, states.get(version - 1)!, states.get(version)!);
          const conflicts = await book.undoRest(version);
          const after = await book.state();
          outcomes[conflicts.length === 0 ? 'whole' : 'partly'] += 1;
          if (conflicts.length === 0) assert.deepEqual(after, whole);
          const kept = new Set(conflicts.flatMap(({ blocked }) => blocked));
          assert.ok(conflicts.length === 0 || kept.size > 0);
          for (const [table, records] of after) {
            const [asNow, asUndone] = [now.get(table)!, whole.get(table)!];
            const keys = new Set([...records.keys(), ...asNow.keys(), ...asUndone.keys()]);
            for (const key of keys) {
              const is = JSON.stringify(records.get(key));
              const expected = [asNow, asUndone].map((each) => JSON.stringify(each.get(key)));
              assert.ok(
                expected.includes(is),
                `${table} ${key}: ${is} of ${expected.join(' or ')}`,
              );
              if (kept.has(`${table} ${key}`)) assert.equal(is, expected[0], 'a conflict is kept');
            }
          }
        }),
        { numRuns: name === 'SQLite' ? 200 : 30 },
      );
      assert.ok(outcomes.whole > 0 && outcomes.partly > 0, JSON.stringify(outcomes));
      // References are kept by the engines. What is derived from the records has rules of its own.
      const derived = ['transaction_counts', 'transaction json', 'transaction_tags'];
      const findings = await checkDatabase(engine, { repair: false });
      assert.deepEqual(
        findings.filter(({ check }) => derived.includes(check)),
        [],
      );
    });

    it('keeps what was changed since, and what that needs', async () => {
      const book = await UndoneBook.open(engine);
      const version = await book.change(function* (change) {
        const food = yield* change.insert(categories, { name: 'Food' });
        yield* change.insert(categories, { name: 'Unused' });
        for (const payee of ['Baker', 'Butcher'])
          yield* addTransaction(change, { payee, category_id: food.id });
      });
      const all = () => book.read(() => select(transactions, { book_id: book.id }));
      const [baker] = await all();
      await book.change((change) => change.update(transactions, baker!, { notes: 'mine' }));
      const conflicts = await book.undoRest(version);
      assert.deepEqual(
        conflicts.map(({ record, id, column, reason }) => [record, id, column, reason]),
        [
          ['transactions', baker!.id, 'notes', 'changed since'],
          ['transactions', baker!.id, 'category_id', 'used since'],
        ],
      );
      assert.deepEqual(
        (await all()).map(({ payee }) => payee),
        ['Baker'],
      );
      const names = await book.read(() => select(categories, { book_id: book.id }));
      assert.deepEqual(names.map((each) => each.name).toSorted(), ['First', 'Food']);
    });

    it('keeps a split with all its parts, and a tag that a transaction has', async () => {
      const book = await UndoneBook.open(engine);
      const one = () => book.read(() => find(transactions, { book_id: book.id }));
      await book.change((change) => addTransaction(change, { amount: 100, to_base: 100 }));
      const row = (await one())!;
      const version = await book.change(function* (change) {
        const { id } = yield* change.insert(tags, { name: 'New' });
        const amounts = [{ amount: 60, tag_ids: [id] }, { amount: 40 }];
        yield* splitTransaction(change, row, amounts);
      });
      const after = await book.state();
      const part = await book.read(() => find(transactions, { book_id: book.id, amount: 40 }));
      await book.change((change) => change.update(transactions, part!, { notes: 'mine' }));
      assert.ok((await book.undoRest(version)).length > 0);
      const now = await book.state();
      assert.equal(now.get('transactions')!.size, 3);
      assert.deepEqual(now.get('tags'), after.get('tags'));
      const unchanged = String(row.id);
      assert.deepEqual(
        now.get('transactions')!.get(unchanged),
        after.get('transactions')!.get(unchanged),
      );
    });

    it('moves a balance back by as much as the version moved it', async () => {
      const book = await UndoneBook.open(engine);
      const account = () => book.read(() => find(manualAccounts, { book_id: book.id }));
      const move = (balance: number) =>
        book.change(function* (change) {
          const before = (yield* find(manualAccounts, { book_id: book.id }))!;
          yield* change.update(manualAccounts, before, { balance, to_base: balance });
        });
      const version = await move(100);
      await move(150);
      assert.deepEqual(await book.conflictsOf(version), []);
      const { balance, to_base } = (await account())!;
      assert.deepEqual([balance, to_base], [50, 50]);
      const largest = await move(Number.MAX_SAFE_INTEGER);
      await move(-Number.MAX_SAFE_INTEGER);
      const { id } = (await account())!;
      assert.deepEqual(await book.conflictsOf(largest), [
        { record: 'manual_accounts', id, column: 'balance', reason: 'changed since' },
        { record: 'manual_accounts', id, column: 'to_base', reason: 'changed since' },
      ]);
    });
  });
}
