import assert from 'node:assert/strict';
import { before, beforeEach, describe, it } from 'node:test';
import { changesSince } from '../../changes/testing/changes-since.ts';
import { changing } from '../../changes/changing.ts';
import { undo } from '../../changes/undo.ts';
import type { Engine } from '../../db/engine.ts';
import { usualEngines } from '../../db/testing/engines.ts';
import { manualAccounts } from '../../db/tables.ts';
import { bookOf } from '../users/actions.ts';
import { newBook } from '../users/testing/new-book.ts';
import { archiveAccount, listAccounts, renameAccount } from './actions.ts';

const newYearMs = Date.parse('2026-01-01T23:59:59.000Z');
const dayMs = 86_400_000;

for (const { name, skip, open } of usualEngines) {
  describe(`manual accounts on ${name}`, { skip }, () => {
    let engine: Engine;
    let bookId: number;
    let nowMs: number;
    before(async () => {
      engine = await open(() => nowMs);
    });
    beforeEach(async () => {
      nowMs = newYearMs;
      bookId = (await newBook(engine)).id;
      await engine.write(() =>
        changing({ bookId, actor: 'test', operation: 'fill' }, function* (change) {
          const columns = { type: 'cash', currency: 'usd', balance: 0, balance_as_of: change.at };
          for (const each of ['Cash', 'Checking'])
            yield* change.insert(manualAccounts, {
              ...{ name: each, ...columns, created_by_name: 'A' },
            });
        }),
      );
    });

    const all = () => engine.read(() => listAccounts(bookId));
    const first = async () => (await all())[0]!;
    const rename = async (to: string) => {
      const { id } = await first();
      await engine.write(() => renameAccount(bookId, id, to));
      return first();
    };
    const archive = async (isArchived: boolean) => {
      const { id } = await first();
      await engine.write(() => archiveAccount(bookId, id, isArchived));
      const { status, closed_on } = await first();
      return [status, closed_on];
    };
    /** The operations that changed the book since it was filled. */
    const operations = async () =>
      (await engine.read(() => changesSince(bookId, 2))).map(({ operation }) => operation);
    const undoLast = () =>
      engine.write(() =>
        changing({ bookId, actor: 'test', operation: 'undo' }, (change) =>
          undo(change, change.version - 1),
        ),
      );

    it('are renamed by their display name, which the first name takes back', async () => {
      const renamed = await rename('Wallet');
      assert.deepEqual([renamed.name, renamed.display_name], ['Cash', 'Wallet']);
      assert.equal((await rename('cash')).display_name, 'cash');
      assert.equal((await rename('Cash')).display_name, null);
    });

    it('are renamed by one version of the book, which can be undone', async () => {
      await rename('Wallet');
      assert.deepEqual(await operations(), ['account rename']);
      assert.equal((await engine.read(() => bookOf(bookId))).version, 3);
      await undoLast();
      assert.equal((await first()).display_name, null);
    });

    it('do not get a name that another account has, whichever of its names it is', async () => {
      const second = (await all())[1]!;
      const isRefused = (error: unknown): boolean =>
        (error as { details: { errMsg: string }[] }).details[0]!.errMsg.endsWith('already exists');
      await assert.rejects(rename('checkinG '), isRefused);
      await engine.write(() => renameAccount(bookId, second.id, 'Bank'));
      await assert.rejects(rename('CHECKING'), isRefused);
      await assert.rejects(rename('bank'), isRefused);
      assert.deepEqual(await operations(), ['account rename']);
    });

    it('are closed as of the day in UTC, opened again, and that can be undone', async () => {
      assert.deepEqual(await archive(true), ['closed', '2026-01-01']);
      nowMs += dayMs;
      assert.deepEqual(await archive(true), ['closed', '2026-01-01']);
      assert.deepEqual(await operations(), ['account archive'], 'once');
      assert.deepEqual(await archive(false), ['active', null]);
      await undoLast();
      assert.equal((await first()).status, 'closed');
    });

    it('of another book are not found', async () => {
      const { id } = await first();
      const other = (await newBook(engine)).id;
      for (const steps of [
        () => renameAccount(other, id, 'X'),
        () => archiveAccount(other, id, true),
      ])
        await assert.rejects(engine.write(steps), { name: 'Problem', kind: 'recordNotFound' });
      assert.equal((await first()).display_name, null);
    });
  });
}
