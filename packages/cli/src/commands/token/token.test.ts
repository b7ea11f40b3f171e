import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { test } from 'node:test';
import { coffer, makeBook, makeFolder, runCoffer } from '../../testing/run-coffer.ts';
import { readExpiry } from './token.ts';

const folder = makeFolder();
const whose = await makeBook(folder);

test('a token is printed alone, listed without its secret, and revoked by its id', async () => {
  const text = await coffer('token', 'create', '--label', 'phone', '--expires', '90d', ...whose);
  assert.match(text, /^coffer_[0-9A-Za-z]{49}\n$/);
  const list = await coffer('token', 'list', ...whose);
  assert.equal(
    list,
    '1: "phone", created 2026-11-20T12:00:00.000Z, never used, expires 2027-02-18T12:00:00.000Z\n',
  );
  await coffer('token', 'revoke', '1', ...whose);
  const [revoked] = (await coffer('token', 'list', '--json', ...whose)).split('\n');
  assert.deepEqual(JSON.parse(revoked ?? ''), {
    id: 1,
    label: 'phone',
    created_at: '2026-11-20T12:00:00.000Z',
    last_used_at: null,
    expires_at: '2027-02-18T12:00:00.000Z',
    revoked_at: '2026-11-20T12:00:00.000Z',
  });
  const again = await runCoffer(['token', 'revoke', '1', ...whose]);
  assert.deepEqual([again.code, again.stdout], [1, '']);
  assert.equal(again.stderr, 'The book "My book" has no token 1 that could be revoked\n');
});

test('a token that has expired is listed as such', async () => {
  const whose = await makeBook(folder, 'expired.db');
  await coffer('token', 'create', '--expires', '2027-01-31', ...whose);
  const now = (): Date => new Date('2027-01-31T00:00:00.000Z');
  const { stdout } = await runCoffer(['token', 'list', ...whose], { now });
  assert.match(stdout, /^1: without a label, .*, expired 2027-01-31T00:00:00.000Z\n$/);
});

test('a label with control characters and an id that is no number are misuse', async () => {
  const label = await runCoffer(['token', 'create', '--label', 'a\nb', ...whose]);
  assert.equal(label.code, 2);
  for (const id of ['x', '0', '01', '1.5']) {
    assert.equal((await runCoffer(['token', 'revoke', id, ...whose])).code, 2, id);
  }
});

const expiryNow = new Date('2026-11-20T12:34:56.789Z');

test('days count from now, to the millisecond', () => {
  assert.equal(readExpiry('1d', expiryNow), '2026-11-21T12:34:56.789Z');
  assert.equal(readExpiry('90d', expiryNow), '2027-02-18T12:34:56.789Z');
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 36_500 }), (days) => {
      const elapsedMs = Date.parse(readExpiry(`${days}d`, expiryNow)) - expiryNow.getTime();
      assert.equal(elapsedMs, days * 24 * 60 * 60 * 1000);
    }),
  );
});

test('a date is the first instant of that day in UTC', () => {
  assert.equal(readExpiry('2027-01-31', expiryNow), '2027-01-31T00:00:00.000Z');
  assert.equal(readExpiry('2028-02-29', expiryNow), '2028-02-29T00:00:00.000Z');
});

test('a day that has begun already is refused', () => {
  for (const text of ['2026-11-20', '2026-11-19', '1999-12-31']) {
    const refused = { exitCode: 2, message: /is over already$/ };
    assert.throws(() => readExpiry(text, expiryNow), refused, text);
  }
});

test('what is neither days nor a date is refused', () => {
  for (const text of [
    ...['', '0d', '-1d', '1.5d', '36501d', '90', '90 d', 'd', '1h', 'never', '2027-02-29'],
    ...['2027-13-01', '2027-1-1', '2027-04-31', '2027-01-31T00:00:00Z', '٣d'],
  ]) {
    assert.throws(() => readExpiry(text, expiryNow), { exitCode: 2, message: /is neither/ }, text);
  }
});
