import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeTestApp } from '../testing/test-app.ts';
import { readableLog } from './readable-log.ts';

test('a line of the log is readable: local time, level, message and fields', async () => {
  let text = '';
  const logStream = readableLog({ write: (line) => (text += line) });
  const { app, engine, ada } = await makeTestApp({ logStream });
  app.log.warn({ redis: '10.0.0.1:6379', attempt: 2 }, 'Redis does not respond');
  await app.inject({ url: '/v2/me', headers: { authorization: `Bearer ${ada.token}` } });
  await engine.failing('readStatement categories', new Error('planted'), () =>
    app.inject({ url: '/v2/categories', headers: { authorization: `Bearer ${ada.token}` } }),
  );
  await app.close();
  const time = String.raw`\d\d:\d\d:\d\d`;
  assert.match(
    text,
    new RegExp(`^${time} WARN  Redis does not respond redis=10.0.0.1:6379 attempt=2\n`),
  );
  assert.match(
    text,
    new RegExp(`^${time} DEBUG request .*req={ method: 'GET', path: '/v2/me' }`, 'm'),
  );
  assert.match(text, new RegExp(`^${time} ERROR [^\n]+\nError: planted\n +at `, 'm'));
  assert.doesNotMatch(text, /^\{|hostname|pid/m);
});
