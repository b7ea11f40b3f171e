import assert from 'node:assert/strict';
import { beforeEach, it } from 'node:test';
import { manualAccounts } from '../../db/tables.ts';
import { type EngineBook, onEnginesAt } from '../../http/testing/engine-book.ts';
import { archiveAccount, listAccounts, renameAccount } from './actions.ts';

let nowMs = 0;

const now = () => nowMs;

onEnginesAt('manual accounts of a command', now, (open) => {
  let book: EngineBook;
  beforeEach(async () => {
    nowMs = Date.parse('2026-01-01T23:59:59.000Z');
    book = await open();
    await book.change(function* (change) {
      const columns = { type: 'cash', currency: 'usd', balance: 0, created_by_name: 'A' };
      for (const name of ['Cash', 'Checking'])
        yield* change.insert(manualAccounts, { name, ...columns, balance_as_of: change.at });
    });
  });

  const all = () => book.read(() => listAccounts(book.id));
  const first = async () => (await all())[0]!;
  const rename = async (to: string) => {
    const { id } = await first();
    await book.write(() => renameAccount(book.id, id, to));
    return first();
  };
  const archive = async (isArchived: boolean) => {
    const { id } = await first();
    await book.write(() => archiveAccount(book.id, id, isArchived));
    const { status, closed_on } = await first();
    return [status, closed_on];
  };

  it('are renamed by their display name, which the first name takes back', async () => {
    const renamed = await rename('Wallet');
    assert.deepEqual([renamed.name, renamed.display_name], ['Cash', 'Wallet']);
    assert.deepEqual(await book.operations(2), ['account rename']);
    assert.equal((await rename('cash')).display_name, 'cash');
    assert.equal((await rename('Cash')).display_name, null);
  });

  it('do not get a name that another account has, whichever of its names it is', async () => {
    const second = (await all())[1]!;
    const isRefused = (error: unknown): boolean =>
      (error as { details: { errMsg: string }[] }).details[0]!.errMsg.endsWith('already exists');
    await assert.rejects(rename('checkinG '), isRefused);
    await book.write(() => renameAccount(book.id, second.id, 'Bank'));
    await assert.rejects(rename('CHECKING'), isRefused);
    await assert.rejects(rename('bank'), isRefused);
    assert.deepEqual(await book.operations(2), ['account rename']);
  });

  it('are closed as of the day in UTC, and opened again', async () => {
    assert.deepEqual(await archive(true), ['closed', '2026-01-01']);
    nowMs += 86_400_000;
    assert.deepEqual(await archive(true), ['closed', '2026-01-01']);
    assert.deepEqual(await book.operations(2), ['account archive'], 'once');
    assert.deepEqual(await archive(false), ['active', null]);
  });
});
