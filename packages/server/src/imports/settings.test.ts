import assert from 'node:assert/strict';
import { it } from 'node:test';
import { newBook } from '../identity/users/testing/new-book.ts';
import { forgetImportSettings, importSettingsOf, saveImportSettings } from './memory.ts';
import { onBothEngines } from './testing/import-book.ts';

onBothEngines(
  'settings of imports',
  (on) => {
    it('are kept, replaced and forgotten by book and shape', async () => {
      const [one, other] = [(await newBook(on.engine)).id, (await newBook(on.engine)).id];
      const read = (bookId: number, shape: string) =>
        on.engine.read(() => importSettingsOf(bookId, shape));
      const keep = (bookId: number, shape: string, decimal: 'point' | 'comma') =>
        on.engine.write(() => saveImportSettings(bookId, { shape, format: 'csv' }, { decimal }));
      const forget = (bookId: number, shape: string | null) =>
        on.engine.write(() => forgetImportSettings(bookId, shape));
      assert.equal(await read(one, 'a'), null);
      await keep(one, 'a', 'point');
      await keep(one, 'a', 'comma');
      await keep(one, 'b', 'point');
      await keep(other, 'a', 'point');
      assert.deepEqual(await read(one, 'a'), { decimal: 'comma' });
      assert.equal(await forget(one, 'a'), 1);
      assert.equal(await forget(one, 'a'), 0);
      assert.deepEqual(await read(one, 'b'), { decimal: 'point' });
      assert.equal(await forget(one, null), 1);
      assert.equal(await read(one, 'b'), null);
      assert.deepEqual(await read(other, 'a'), { decimal: 'point' });
    });
  },
  () => Date.parse('2026-02-01T00:00:00.000Z'),
);
