import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { insertAllUnlogged } from '../../book/unlogged.ts';
import type { Engine } from '../../db/engine.ts';
import { select } from '../../db/rows.ts';
import {
  importPreviewBlocks,
  importPreviewRows,
  importPreviews,
  imports,
} from '../../db/tables/tables.ts';
import { usualEngines } from '../../db/testing/engines.ts';
import { createUser } from '../../identity/users/actions.ts';
import { workerMs } from './import-service.ts';
import {
  createPreview,
  findPreview,
  storeBlocks,
  updatePreview,
  shownPreview,
} from './preview-records.ts';
import { expiredPreviewsJob, releasePreviews, removeExpired } from './expiry.ts';

const startMs = Date.parse('2026-01-01T00:00:00Z');
const dayMs = 24 * 3_600_000;

for (const { name, skip, open } of usualEngines)
  describe(`previews that expire, on ${name}`, { skip }, () => {
    let nowMs = startMs;

    async function preview(engine: Engine, bookId: number, atMs: number, workMs = 0) {
      return engine.write(function* () {
        const file = { actor: 'token 1', fileName: null, hash: 'ab', bytes: 9, options: {} };
        const times = { nowMs: atMs, workerUntilMs: atMs + workMs };
        const id = yield* createPreview({ bookId, ...file, ...times });
        yield* updatePreview(bookId, id, { status: workMs > 0 ? 'committing' : 'ready' });
        yield* storeBlocks(bookId, id, 0, Array<Uint8Array>(5).fill(Buffer.from('ab')));
        const of = { book_id: bookId, import_id: id, verdict: 'new', known_id: null } as const;
        const rows = Array.from({ length: 4500 }, (_, place) => place);
        yield* insertAllUnlogged(
          importPreviewRows,
          rows.map((place) => ({ ...of, place, nth: place, number: place + 1, content: '{}' })),
        );
        return id;
      });
    }
    const countsOf = (engine: Engine) =>
      engine.read(function* () {
        const counts: number[] = [];
        for (const table of [imports, importPreviews, importPreviewBlocks, importPreviewRows])
          counts.push((yield* select(table, {})).length);
        return counts;
      });

    test('are deleted with their files and rows after a day, and no others', async () => {
      const engine = await open(() => nowMs);
      const user = { name: 'Ada', email: 'ada@example.org', bookName: 'Book' };
      const { id: bookId } = await engine.write(() =>
        createUser({ ...user, primaryCurrency: 'eur' }),
      );
      const old = await preview(engine, bookId, startMs);
      const young = await preview(engine, bookId, startMs + 1);
      const busy = await preview(engine, bookId, startMs, dayMs + 5);
      nowMs = startMs + dayMs;
      const shown = await engine.read(() => shownPreview(bookId, old, () => null));
      // Nobody works on a file whose worker would have longer than a worker has: the clock went back.
      for (const [aheadMs, status] of [
        [3_600_000, 'failed'],
        [workerMs, 'reading'],
      ] as const) {
        await engine.write(() =>
          updatePreview(bookId, young, { status: 'reading', worker_until_ms: nowMs + aheadMs }),
        );
        const read = await engine.read(() => shownPreview(bookId, young, () => null));
        assert.equal(read.status, status);
      }
      await engine.write(() => updatePreview(bookId, young, { worker_until_ms: 0 }));
      assert.deepEqual([shown.status, shown.expires_at], ['expired', '2026-01-02T00:00:00.000Z']);
      assert.equal(await removeExpired(engine, { nowMs: nowMs - 1 }), 0);
      const { signal } = new AbortController();
      await expiredPreviewsJob.run(engine, nowMs, signal);
      assert.equal(await engine.read(() => findPreview(bookId, old)), undefined);
      assert.deepEqual(await countsOf(engine), [2, 2, 10, 9000]);
      // An interrupted deletion continues at once, and an import that was interrupted did not happen.
      await engine.write(() => updatePreview(bookId, young, { expires_at_ms: 0 }));
      assert.equal(await removeExpired(engine, { nowMs: startMs + 1 }), 1);
      await engine.write(releasePreviews);
      const left = await engine.read(() => shownPreview(bookId, busy, () => null));
      assert.equal(left.status, 'expired');
      assert.equal(await removeExpired(engine, { nowMs, signal: AbortSignal.abort() }), 0);
      assert.equal(await removeExpired(engine, { nowMs }), 1);
      assert.deepEqual(await countsOf(engine), [0, 0, 0, 0]);
    });
  });
