import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { takeLease } from './book/leases.ts';
import { readConfig } from './config.ts';
import { select } from './db/rows.ts';
import { importPreviews, leases } from './db/tables/tables.ts';
import { newFolder } from './db/testing/folder.ts';
import { pick } from './http/testing/pick.ts';
import { createPreview } from './imports/operations/preview-records.ts';
import { createUser } from './identity/users/actions.ts';
import { serve } from './server.ts';

const database = join(newFolder(), 'coffer.db');
const start = () =>
  serve(readConfig({ port: '0', logLevel: 'silent', database: `sqlite:${database}` }, {}));

test('a server releases what an earlier one on its file had begun when it was killed', async () => {
  const killed = await start();
  await killed.engine.write(function* () {
    const user = { name: 'Ada', email: 'ada@example.org', bookName: 'B', primaryCurrency: 'eur' };
    const { id: bookId } = yield* createUser(user);
    const file = { actor: 'token 1', fileName: null, hash: 'ab', bytes: 9, options: {} };
    const nowMs = Date.now();
    yield* createPreview({ bookId, ...file, nowMs, workerUntilMs: nowMs + 3_600_000 });
    yield* takeLease('webhook 1/1', 'the killed server', 300_000);
  });
  await killed.close();
  const restarted = await start();
  const left = await restarted.engine.read(function* () {
    const previews = pick(yield* select(importPreviews, {}), 'worker_until_ms');
    const names = pick(yield* select(leases, {}), 'name');
    return { previews, webhooks: names.filter((name) => name.startsWith('webhook ')) };
  });
  await restarted.close();
  assert.deepEqual(left, { previews: [0], webhooks: [] });
});
