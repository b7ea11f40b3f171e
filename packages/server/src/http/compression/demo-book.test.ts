import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { fillDemo } from '../../demo/fill.ts';
import { makeDemoBook } from '../../demo/make-demo-book.ts';
import { noFileStore } from '../../files/store.ts';
import { createToken, createUser } from '../../resources/users/actions.ts';
import { newToken } from '../../resources/users/token.ts';
import { makeTestApp } from '../testing/test-app.ts';

test('pages of 1,000 of the demo book have a tenth of their size, or less', async () => {
  const { app, engine } = await makeTestApp();
  const { text, hash } = newToken();
  const { id } = await engine.write(function* () {
    const user = { name: 'demo', email: 'demo@example.org', bookName: 'Demo' };
    const book = yield* createUser({ ...user, primaryCurrency: 'usd' });
    const token = { userId: book.userId, bookId: book.id, hash, label: 'demo', expiresAt: null };
    yield* createToken(token);
    return book;
  });
  const files = { ...noFileStore, write: () => Promise.resolve() };
  assert.equal(await fillDemo(engine, id, makeDemoBook(), files), null);
  const get = (offset: number, coding: string) =>
    app.inject({
      url: `/v2/transactions?limit=1000&offset=${offset}`,
      headers: { authorization: `Bearer ${text}`, 'accept-encoding': coding },
    });
  for (const offset of [0, 2000, 7000]) {
    const { rawPayload: plain } = await get(offset, 'identity');
    const { transactions } = JSON.parse(plain.toString()) as { transactions: unknown[] };
    assert.equal(transactions.length, 1000);
    const decoders = { gzip: gunzipSync, zstd: zstdDecompressSync, br: brotliDecompressSync };
    for (const [coding, decode] of Object.entries(decoders)) {
      const { rawPayload, headers } = await get(offset, coding);
      assert.equal(headers['content-encoding'], coding);
      assert.ok(rawPayload.length * 10 <= plain.length, `${coding}: ${rawPayload.length}`);
      assert.ok(decode(rawPayload).equals(plain));
    }
  }
  await app.close();
});
