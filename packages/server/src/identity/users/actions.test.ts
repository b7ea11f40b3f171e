import assert from 'node:assert/strict';
import { createHash, hash } from 'node:crypto';
import { before, beforeEach, it, test } from 'node:test';
import { crc32 } from 'node:zlib';
import { authenticate } from './testing/authenticate.ts';
import { changing, type Change } from '../../book/change.ts';
import type { Engine, Steps } from '../../db/engine.ts';
import { manualAccounts } from '../../db/tables/tables.ts';
import { onEnginesAt } from '../../http/testing/engine-book.ts';
import * as users from './actions.ts';
import { isWellFormedToken, newToken, sha256, tokensInText, type NewToken } from './actions.ts';

const anna = { email: 'Anna@example.com', name: 'Anna', bookName: 'Home', primaryCurrency: 'eur' };
const nowMs = Date.parse('2026-01-01T00:00:00.000Z');
const nowIso = '2026-01-01T00:00:00.000Z';

let hashes = 0;
function newHash(): Uint8Array {
  return new Uint8Array(32).fill((hashes += 1));
}

let clockMs = nowMs;

const now = () => clockMs;

onEnginesAt('users and tokens', now, (open) => {
  let engine: Engine;
  before(async () => {
    ({ engine } = await open());
    await engine.write(() => users.createUser(anna));
  });
  beforeEach(() => {
    clockMs = nowMs;
  });

  const booksOf = (email: string) => engine.read(() => users.findBooks(email));
  const authenticated = (hash: Uint8Array) => engine.read(() => authenticate(hash));
  const newToken = async (parts: Partial<NewToken> = {}) => {
    const [book] = await booksOf(anna.email);
    const ofBook = { userId: book!.userId, bookId: book!.id };
    const token = { ...ofBook, hash: newHash(), label: null, expiresAt: null, ...parts };
    return { ...token, id: await engine.write(() => users.createToken(token)) };
  };

  it('sets the currency of a book until its history has amounts', async () => {
    const email = 'empty@example.com';
    const { id } = await engine.write(() => users.createUser({ ...anna, email }));
    const set = (code: string) => engine.write(() => users.setPrimaryCurrency(id, code));
    const change = (work: (change: Change) => Steps<unknown>) =>
      engine.write(() => changing({ bookId: id, actor: 'test', operation: 'test' }, work));
    await set('chf');
    assert.equal((await booksOf(email))[0]!.primaryCurrency, 'chf');
    const names = { name: 'Cash', type: 'cash', currency: 'chf', created_by_name: 'A' };
    await change(function* (each) {
      const columns = { ...names, balance: 1, to_base: 1, balance_as_of: each.at };
      yield* each.remove(manualAccounts, yield* each.insert(manualAccounts, columns));
    });
    await assert.rejects(set('sek'), { name: 'Problem', kind: 'hasAmounts' });
    assert.equal((await booksOf(email))[0]!.primaryCurrency, 'chf');
  });

  it('knows a token by its hash until it is revoked', async () => {
    const [book] = await booksOf(anna.email);
    const { id, hash } = await newToken({ label: 'desk' });
    const identity = await authenticated(hash);
    assert.deepEqual(identity?.user, { id: book!.userId, email: anna.email, name: 'Anna' });
    assert.deepEqual(identity.book, book);
    assert.deepEqual(identity.token, { id, label: 'desk', lastUsedAt: null });
    assert.match(identity.databaseId, /^[0-9a-f]{32}$/);
    assert.equal(await authenticated(new Uint8Array(32)), null);
    const revoke = (bookId: number) => engine.write(() => users.revokeToken(bookId, id));
    assert.equal(await revoke(book!.id + 1), false, 'not from another book');
    assert.notEqual(await authenticated(hash), null);
    assert.equal(await revoke(book!.id), true);
    assert.equal(await revoke(book!.id), false, 'once');
    assert.equal(await authenticated(hash), null);
    const tokens = await engine.read(() => users.listTokens(book!.id));
    assert.equal(tokens.find((each) => each.id === id)?.revoked_at, nowIso);
  });

  it('ends a token at the instant it expires, exclusive', async () => {
    const expiresAt = '2026-06-01T00:00:00.000Z';
    const { hash } = await newToken({ expiresAt });
    clockMs = Date.parse(expiresAt) - 1;
    assert.notEqual(await authenticated(hash), null);
    clockMs += 1;
    assert.equal(await authenticated(hash), null);
  });

  it('stores when a token was used and lists tokens without their secret', async () => {
    const { id, bookId } = await newToken();
    const at = '2026-02-02T02:02:02.222Z';
    await engine.write(() => users.touchToken(id, at));
    await engine.write(() => users.touchToken(id + 1000, at));
    const tokens = await engine.read(() => users.listTokens(bookId));
    const token = tokens.find((each) => each.id === id);
    const times = { created_at: nowIso, last_used_at: at };
    assert.deepEqual(token, { id, label: null, ...times, expires_at: null, revoked_at: null });
    const other = { ...anna, email: 'other@example.com' };
    const { id: otherId } = await engine.write(() => users.createUser(other));
    assert.deepEqual(await engine.read(() => users.listTokens(otherId)), []);
  });

  it('distinguishes letters beyond ASCII in an e-mail address in any collation', async () => {
    const email = 'ÄNNA@Example.com';
    const book = await engine.write(() => users.createUser({ ...anna, email }));
    assert.deepEqual(await booksOf('ÄNNA@example.COM'), [book]);
    assert.deepEqual(await booksOf('änna@example.com'), []);
  });

  it('refuses a second user with the same e-mail address in any letter case', async () => {
    const email = 'anna@EXAMPLE.com';
    const message = 'A user with the e-mail address "anna@EXAMPLE.com" exists already';
    await assert.rejects(
      engine.write(() => users.createUser({ ...anna, email })),
      { name: 'EmailTakenError', message },
    );
    assert.equal((await booksOf(email)).length, 1);
  });

  it('creates a book whose first change is later than its creation', async () => {
    const user = { ...anna, email: 'new@example.com' };
    const book = await engine.write(() => users.createUser(user));
    assert.equal(book.version, 1);
    assert.deepEqual(await booksOf('NEW@example.com'), [book]);
    assert.equal(await engine.read(() => users.ownerOf(book.id)), 'Anna');
    await assert.rejects(
      engine.read(() => users.ownerOf(book.id + 1000)),
      { message: `There is no book ${book.id + 1000}` },
    );
  });
});

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

function fromBase62(text: string): bigint {
  return [...text].reduce((sum, digit) => sum * 62n + BigInt(digits.indexOf(digit)), 0n);
}

test('a token is the prefix, 43 digits of secret and 6 of checksum, and has the hash of its text', () => {
  const { text, hash } = newToken();
  assert.match(text, /^coffer_[0-9A-Za-z]{49}$/);
  assert.equal(fromBase62(text.slice(-6)), BigInt(crc32(text.slice(0, -6))));
  assert.deepEqual(Buffer.from(hash), createHash('sha256').update(text).digest());
  assert.deepEqual(sha256(text), hash);
  assert.equal(`{"a":"${text}","b":"x"}`.replaceAll(tokensInText, '*'), '{"a":"*","b":"x"}');
});

test('tokens are well formed, all different, and use all of their 256 bits', () => {
  const tokens = Array.from({ length: 500 }, () => newToken().text);
  assert.ok(tokens.every(isWellFormedToken));
  const secrets = tokens.map((text) => fromBase62(text.slice(7, 50)));
  assert.equal(new Set(secrets).size, secrets.length);
  const seen = secrets.reduce((bits, secret) => bits | secret, 0n);
  assert.equal(seen, 2n ** 256n - 1n);
});

test('a token with one character changed, added or removed is not well formed', () => {
  const { text } = newToken();
  for (let at = 0; at < text.length; at += 1) {
    const other = text[at] === 'x' ? 'y' : 'x';
    const [before, after] = [text.slice(0, at), text.slice(at + 1)];
    for (const middle of [other, '', other + text[at]!])
      assert.ok(!isWellFormedToken(before + middle + after), `${middle} at ${at}`);
  }
  assert.ok(!isWellFormedToken(`${text}\n`));
  for (const other of [text.toUpperCase(), '', `coffer_${'0'.repeat(49)}`])
    assert.ok(!isWellFormedToken(other), other);
});

test('the first texts and all later ones have the hashes of OpenSSL', () => {
  for (let n = 0; n < 1000; n += 1) {
    const text = 'é'.repeat(n % 7) + 'a'.repeat(n % 300);
    assert.equal(sha256(text).toString('hex'), hash('sha256', text));
  }
});
