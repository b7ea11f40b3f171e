import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { test } from 'node:test';
import { coffer, jsonLines, newBook, refuses, runCoffer } from '../../testing/run-coffer.ts';
import { readExpiry } from './token.ts';

const whose = await newBook();

test('a token is printed alone, listed without its secret, and revoked by its id', async () => {
  const text = await coffer('token', 'create', '--label', 'phone', '--expires', '90d', ...whose);
  assert.match(text, /^coffer_[0-9A-Za-z]{49}\n$/);
  assert.equal(
    await coffer('token', 'list', ...whose),
    'ID  LABEL  STATUS  CREATED AT         LAST USED AT  EXPIRES AT\n' +
      ' 1  phone  valid   2026-11-20T12:00Z  -             2027-02-18T12:00Z\n',
  );
  const revoked = await runCoffer(['token', 'revoke', '1', ...whose]);
  assert.deepEqual(revoked, { code: 0, stdout: '', stderr: 'Revoked token 1\n' });
  assert.deepEqual(jsonLines(await coffer('token', 'list', '--json', ...whose))[0], {
    id: 1,
    label: 'phone',
    status: 'revoked',
    created_at: '2026-11-20T12:00:00.000Z',
    last_used_at: null,
    expires_at: '2027-02-18T12:00:00.000Z',
    revoked_at: '2026-11-20T12:00:00.000Z',
  });
  await refuses(['token', 'revoke', '1', ...whose], 1, 'Token 1 was already revoked\n');
});

test('a token that has expired is listed as such', async () => {
  const whose = await newBook();
  await coffer('token', 'create', '--expires', '2027-01-31', ...whose);
  const now = (): Date => new Date('2027-01-31T00:00:00.000Z');
  const { stdout } = await runCoffer(['token', 'list', ...whose], { now });
  assert.match(stdout, /\n 1 {2}- +expired .* 2027-01-31T00:00Z\n$/);
});

test('a token is chosen by id or label, and its label is changed or removed', async () => {
  const whose = await newBook();
  for (const label of ['phone', 'phone', 'desk'])
    await coffer('token', 'create', '--label', label, ...whose);
  const run = async (...argv: string[]) => (await runCoffer(['token', ...argv, ...whose])).stderr;
  assert.equal(
    await run('rename', 'DESK', ' work desk '),
    'Token 3 now has the label "work desk"\n',
  );
  assert.equal(await run('rename', '2', ''), 'Token 2 now has no label\n');
  assert.equal(await run('revoke', 'phone'), 'Revoked token 1\n');
  const list = await coffer('token', 'list', ...whose);
  assert.match(list, /\n 1 {2}phone +revoked .*\n 2 {2}- +valid .*\n 3 {2}work desk +valid /);
});

test('an ambiguous label and an unknown token are refused', async () => {
  const whose = await newBook();
  for (const label of ['phone', 'phone', ''])
    await coffer('token', 'create', '--label', label, ...whose);
  const before = await coffer('token', 'list', ...whose);
  for (const [command, ...label] of [['revoke'], ['rename', 'new']] as const)
    for (const [which, problem] of [
      ['phone', '2 access tokens named "phone". Choose one by its id: 1 "phone", 2 "phone"'],
      ['9', 'no access token "9". The access tokens are: 1 "phone", 2 "phone", 3'],
    ] as const) {
      const argv = ['token', command, which, ...label, ...whose];
      await refuses(argv, 1, `The book "My book" has ${problem}\n`);
    }
  assert.equal(await coffer('token', 'list', ...whose), before);
});

test('a label with control characters is misuse', async () => {
  for (const argv of [
    ['create', '--label', 'a\nb'],
    ['rename', '1', 'a\nb'],
  ])
    await refuses(['token', ...argv, ...whose], 2, /: use at most 100 characters on one line\n$/);
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

test('a date is the first instant of that day in UTC, and must be in the future', () => {
  assert.equal(readExpiry('2027-01-31', expiryNow), '2027-01-31T00:00:00.000Z');
  assert.equal(readExpiry('2028-02-29', expiryNow), '2028-02-29T00:00:00.000Z');
  const refused = { exitCode: 2, message: /is not in the future$/ };
  for (const text of ['2026-11-20', '2026-11-19', '1999-12-31'])
    assert.throws(() => readExpiry(text, expiryNow), refused, text);
});

test('text that is neither a number of days nor a date is refused', () => {
  for (const text of [
    '',
    '0d',
    '-1d',
    '1.5d',
    '36501d',
    '90',
    '90 d',
    'd',
    '1h',
    'never',
    '2027-02-29',
    '2027-13-01',
    '2027-1-1',
    '2027-04-31',
    '2027-01-31T00:00:00Z',
    '٣d',
  ]) {
    assert.throws(
      () => readExpiry(text, expiryNow),
      { exitCode: 2, message: /is not valid/ },
      text,
    );
  }
});
