import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { NewRow } from '../../db/table.ts';
import { cryptoAccounts, cryptoBalances } from '../../db/tables/tables.ts';
import { EngineBook } from '../../http/testing/engine-book.ts';
import { pick } from '../../http/testing/pick.ts';
import { assertCounted, assertErrorFormat } from '../../http/testing/test-answers.ts';
import { as, makeTestApp } from '../../http/testing/test-app.ts';
import type { InjectOptions } from 'fastify';
import { CryptoRefreshError } from '../../outside/provider-error.ts';
import { noServices } from '../../services.ts';
import type { CryptoBalance } from '../prices/worth.ts';
import type { CryptoReader, ReadRequest } from './reader.ts';
import type { CryptoReading } from './rules.ts';

const nowIso = '2026-03-15T06:30:00.250Z';
const priceIso = '2026-03-15T06:29:12.000Z';
const id = 7;
const account: NewRow<typeof cryptoAccounts> = {
  id,
  provider: 'kraken',
  status: 'active',
  display_name: 'Coins "and" more',
  created_by_name: 'Ada',
  created_at: '2026-01-02T09:00:00.000Z',
  updated_at: nowIso,
  last_import: nowIso,
  sealed_credentials: Buffer.of(1, 2, 3),
};
const bitcoin: CryptoBalance = {
  symbol: 'btc',
  name: 'BTC',
  quantity: '0.031400000000000001',
  coingecko_id: 'bitcoin',
  // As a double divided by ten thousand it would end in 8.
  to_base: 9_007_199_254_740_987,
  price_as_of: priceIso,
};
const newcoin: CryptoBalance = {
  symbol: 'new1',
  name: 'NEW1',
  quantity: '12.000000000000000000',
  coingecko_id: null,
  to_base: null,
  price_as_of: null,
};
const bitcoinJson =
  '{"name":"BTC","display_name":null,"balance":"0.031400000000000001","symbol":"btc","coingecko_id":"bitcoin",' +
  `"to_base":900719925474.0987,"balance_as_of":"${nowIso}","exchange_rate_as_of":"${priceIso}","updated_at":"${nowIso}"}`;
const newcoinJson =
  '{"name":"NEW1","display_name":null,"balance":"12.000000000000000000","symbol":"new1","coingecko_id":null,' +
  `"to_base":null,"balance_as_of":"${nowIso}","exchange_rate_as_of":null,"updated_at":"${nowIso}"}`;
const accountJson =
  '{"id":7,"provider":"kraken","status":"active","created_by_name":"Ada","created_at":"2026-01-02T09:00:00.000Z",' +
  `"updated_at":"${nowIso}","last_import":"${nowIso}","display_name":"Coins \\"and\\" more",` +
  `"balances":[${bitcoinJson},${newcoinJson}]}`;

const requests: ReadRequest[] = [];
/** By default the provider returns nothing newer. */
let readAccount = (): Promise<CryptoReading> =>
  Promise.resolve({ readAtIso: nowIso, balances: [] });
const cryptoReader: CryptoReader = {
  read: (request) => {
    requests.push(request);
    return readAccount();
  },
};
const { app, engine, ada, ben, log } = await makeTestApp({
  services: { ...noServices, cryptoReader },
});
after(() => app.close());
await new EngineBook(engine, ada.identity.book).change(function* (change) {
  yield* change.insert(cryptoAccounts, account);
  for (const balance of [bitcoin, newcoin])
    yield* change.insert(cryptoBalances, { ...balance, account_id: id, read_at: nowIso });
});

const send = (url: string, more: InjectOptions = {}, user = ada) =>
  app.inject({ url, ...more, headers: { ...as(user), ...more.headers } });
const refreshUrl = `/v2/crypto/synced/${id}/refresh`;
const post = (more: InjectOptions = {}, query = '') =>
  send(`${refreshUrl}${query}`, { method: 'POST', ...more });

describe('synced crypto', () => {
  test('has the declared keys in order, and every digit', async () => {
    for (const [url, expected] of [
      ['/v2/crypto/synced', `{"crypto_synced":[${accountJson}]}`],
      ['/v2/crypto/synced/7', accountJson],
      // A balance is found by its symbol in any letter case.
      ...['btc', 'BTC', 'Btc', '%62tc'].map((each) => [`/v2/crypto/synced/7/${each}`, bitcoinJson]),
      ['/v2/crypto/synced/7/new1', newcoinJson],
    ] as [string, string][]) {
      const answer = await send(url);
      assert.deepEqual([answer.statusCode, answer.body], [200, expected], url);
      assert.match(String(answer.headers.etag), /^W\//);
    }
    assert.equal((await send('/v2/crypto/synced', {}, ben)).body, '{"crypto_synced":[]}');
  });

  test('is refused with a symbol of more than 25 characters', async () => {
    const coins = (count: number) => '%F0%9F%AA%99'.repeat(count);
    for (const symbol of ['x'.repeat(26), coins(26)]) {
      const [error] = assertErrorFormat(await send(`/v2/crypto/synced/7/${symbol}`)).errors;
      assert.match(String(error?.['errMsg']), /^Path parameter symbol must be at most /);
    }
    assert.equal((await send(`/v2/crypto/synced/7/${coins(25)}`)).statusCode, 404);
  });

  test('is 404 without the account or the symbol, which may be refresh', async () => {
    const symbols = ['Doge', 'refresh'].map((symbol) => [
      `7/${symbol}`,
      `There is no synced crypto balance with symbol '${symbol}' for the crypto account with id: 7.`,
    ]);
    const missing = 'There is no synced crypto account with the id: 9.';
    for (const [path, errMsg] of [...symbols, ['9', missing], ['9/btc', missing]]) {
      const answer = await send(`/v2/crypto/synced/${path}`);
      const body = JSON.stringify({ message: 'Not Found', errors: [{ errMsg }] });
      assert.deepEqual([answer.statusCode, answer.body], [404, body], path);
    }
    const refreshed = await send('/v2/crypto/synced/9/refresh', { method: 'POST' });
    assert.equal(assertErrorFormat(refreshed).errors[0]?.['errMsg'], missing);
  });
});

describe('a refresh', () => {
  test('returns the account as it is now, without an ETag', async () => {
    const answer = await post({ headers: { 'if-none-match': '*' } });
    assert.deepEqual([answer.statusCode, answer.body], [200, accountJson]);
    assert.equal(answer.headers.etag, undefined);
    assert.equal(answer.headers['content-length'], String(Buffer.byteLength(accountJson)));
    assertCounted(answer);
  });

  test('reads for the book of the token, with the stored credentials and balances', async () => {
    requests.length = 0;
    assert.equal((await send(refreshUrl, { method: 'POST' }, ben)).statusCode, 404);
    assert.deepEqual(requests, []);
    await post();
    const [{ nonce, sealedCredentials, ...rest } = {} as ReadRequest] = requests;
    assert.equal(typeof nonce, 'bigint');
    assert.deepEqual([...sealedCredentials], [1, 2, 3]);
    const bookId = ada.identity.book.id;
    const known = [bitcoin, newcoin];
    assert.deepEqual(rest, { bookId, provider: 'kraken', currency: 'eur', known });
  });
});

describe('a refresh that fails', () => {
  const failing = async (error: Error) => {
    const usual = readAccount;
    readAccount = () => Promise.reject(error);
    log.length = 0;
    const response = await post();
    readAccount = usual;
    const lines = log.map((line) => JSON.parse(line) as { level: number; reason?: string });
    return { answer: response, lines: lines.filter(({ level }) => level >= 40) };
  };

  test('has the reason and the wait of the provider, and logs a warning', async () => {
    for (const [reason, status] of [
      ['timeout', 504],
      ['unreachable', 502],
      ['rateLimited', 502],
      ['refused', 502],
      ['nonsense', 502],
      ['unconfigured', 502],
    ] as const) {
      const { answer, lines } = await failing(new CryptoRefreshError(reason, 'Kraken is so', 9));
      assert.equal(answer.statusCode, status, reason);
      const { message, errors } = assertErrorFormat(answer);
      assert.equal(message, status === 502 ? 'Bad Gateway' : 'Gateway Timeout');
      assert.deepEqual(errors, [{ errMsg: 'Kraken is so', reason }]);
      assert.equal(answer.headers['retry-after'], '9');
      assertCounted(answer);
      assert.deepEqual(pick(lines, 'level', 'reason'), [[40, reason]]);
    }
  });

  test('has no Retry-After without a time to wait, and one of at least a second', async () => {
    const waits = [];
    for (const seconds of [undefined, 0]) {
      const error = new CryptoRefreshError('rateLimited', 'Kraken is so', seconds);
      waits.push((await failing(error)).answer.headers['retry-after']);
    }
    assert.deepEqual(waits, [undefined, '1']);
  });
});
