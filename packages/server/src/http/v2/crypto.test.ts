import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { InjectOptions } from 'fastify';
import {
  CryptoRefreshError,
  type CryptoAccount,
  type CryptoRefresher,
} from '../../records/crypto.ts';
import { assertCounted, assertErrorFormat } from '../testing/test-answers.ts';
import { as, makeTestApp } from '../testing/test-app.ts';

const nowIso = '2026-03-15T06:30:00.250Z';
const priceIso = '2026-03-15T06:29:12.000Z';
const times = { balanceAsOfIso: nowIso, updatedAtIso: nowIso };
const account: CryptoAccount = {
  id: 7,
  provider: 'kraken',
  status: 'active',
  displayName: 'Coins "and" more',
  createdByName: 'Ada',
  createdAtIso: '2026-01-02T09:00:00.000Z',
  updatedAtIso: nowIso,
  lastImportIso: nowIso,
  balances: [
    {
      ...{ symbol: 'btc', name: 'BTC', quantity: '0.031400000000000001', coingeckoId: 'bitcoin' },
      // As a double, divided by ten thousand, it would end in an 8.
      ...{ toBase: 9_007_199_254_740_987, priceAsOfIso: priceIso, ...times },
    },
    {
      ...{ symbol: 'new1', name: 'NEW1', quantity: '12.000000000000000000', coingeckoId: null },
      ...{ toBase: null, priceAsOfIso: null, ...times },
    },
  ],
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

let refresh: CryptoRefresher['refresh'] = (book, id) => store.findCryptoAccount(book.id, id);
const { app, store, ada, ben, log } = makeTestApp({
  cryptoRefresher: { refresh: (book, id) => refresh(book, id) },
});
store.cryptoAccounts.set(ada.identity.book.id, [account]);
after(() => app.close());

const send = (url: string, more: InjectOptions = {}, user = ada) =>
  app.inject({ url, ...more, headers: { ...as(user), ...more.headers } });
const post = (more: InjectOptions = {}, query = '') =>
  send(`/v2/crypto/synced/7/refresh${query}`, { method: 'POST', ...more });

describe('synced crypto is written as the contract says, key by key and digit by digit', () => {
  for (const [url, expected] of [
    ['/v2/crypto/synced', `{"crypto_synced":[${accountJson}]}`],
    ['/v2/crypto/synced/7', accountJson],
    ['/v2/crypto/synced/7/btc', bitcoinJson],
    ['/v2/crypto/synced/7/new1', newcoinJson],
  ] as const) {
    test(url, async () => {
      const answer = await send(url);
      assert.equal(answer.statusCode, 200);
      assert.equal(answer.body, expected);
      assert.match(String(answer.headers.etag), /^W\//);
    });
  }

  test('a worth below one, and below nothing', async () => {
    for (const [toBase, written] of [
      [0, '0.0000'],
      [7, '0.0007'],
      [-12_345, '-1.2345'],
    ] as const) {
      const [bitcoin] = account.balances;
      const changed = { ...account, balances: [{ ...bitcoin!, toBase }] };
      store.cryptoAccounts.set(ben.identity.book.id, [changed]);
      const { body } = await send('/v2/crypto/synced/7/btc', {}, ben);
      assert.ok(body.includes(`"to_base":${written},`), body);
    }
    store.cryptoAccounts.delete(ben.identity.book.id);
  });

  test('a book without any has an empty list', async () => {
    assert.equal((await send('/v2/crypto/synced', {}, ben)).body, '{"crypto_synced":[]}');
  });
});

describe('a balance is found by its symbol', () => {
  test('in any letter case', async () => {
    for (const symbol of ['BTC', 'Btc', '%62tc']) {
      assert.equal((await send(`/v2/crypto/synced/7/${symbol}`)).body, bitcoinJson, symbol);
    }
  });

  test('of 1 to 25 characters, else 400', async () => {
    for (const symbol of ['', 'x'.repeat(26), '%F0%9F%AA%99'.repeat(26)]) {
      const answer = await send(`/v2/crypto/synced/7/${symbol}`);
      assert.equal(answer.statusCode, 400, symbol);
      const [error] = assertErrorFormat(answer).errors;
      assert.match(String(error?.['errMsg']), /^Path parameter symbol must be at (least|most) /);
    }
    const longest = await send(`/v2/crypto/synced/7/${'%F0%9F%AA%99'.repeat(25)}`);
    assert.equal(longest.statusCode, 404);
  });

  test('that the account holds, else 404', async () => {
    const answer = await send('/v2/crypto/synced/7/Doge');
    assert.equal(
      answer.body,
      '{"message":"Not Found","errors":[{"errMsg":"There is no synced crypto balance with symbol \'Doge\' for the crypto account with id: 7."}]}',
    );
    assert.equal(answer.statusCode, 404);
  });

  test('also when it is called refresh: only to POST that is something else', async () => {
    const answer = await send('/v2/crypto/synced/7/refresh');
    assert.equal(answer.statusCode, 404);
    assert.match(answer.body, /no synced crypto balance with symbol 'refresh'/);
  });
});

test('an account that is not there is 404 for each operation, before its symbol is looked at', async () => {
  const missing =
    '{"message":"Not Found","errors":[{"errMsg":"There is no synced crypto account with the id: 9."}]}';
  for (const url of ['/v2/crypto/synced/9', '/v2/crypto/synced/9/btc']) {
    const answer = await send(url);
    assert.deepEqual([answer.statusCode, answer.body], [404, missing], url);
  }
  const refreshed = await send('/v2/crypto/synced/9/refresh', { method: 'POST' });
  assert.deepEqual([refreshed.statusCode, refreshed.body], [404, missing]);
});

describe('a refresh', () => {
  test('answers with the account as it is now, and with nothing to keep it by', async () => {
    const answer = await post({ headers: { 'if-none-match': '*' } });
    assert.deepEqual([answer.statusCode, answer.body], [200, accountJson]);
    assert.equal(answer.headers.etag, undefined);
    assert.equal(answer.headers['content-length'], String(Buffer.byteLength(accountJson)));
    assertCounted(answer);
  });

  test('is asked for the book of the token', async () => {
    const asked: unknown[] = [];
    const usual = refresh;
    refresh = (...all) => {
      asked.push(all);
      return Promise.resolve(null);
    };
    await send('/v2/crypto/synced/7/refresh', { method: 'POST' }, ben);
    refresh = usual;
    assert.deepEqual(asked, [[ben.identity.book, 7]]);
  });

  const types = ['application/json', 'application/octet-stream', 'text/csv', 'nonsense', ';', ''];
  for (const type of types) {
    test(`takes an empty body of the type "${type}"`, async () => {
      for (const more of [{}, { 'content-length': '0' }, { 'transfer-encoding': 'chunked' }]) {
        const answer = await post({ headers: { 'content-type': type, ...more } });
        assert.equal(answer.statusCode, 200);
      }
    });
  }

  test('takes an empty object for no body', async () => {
    for (const payload of ['{}', ' {\n}']) {
      const headers = { 'content-type': 'application/json' };
      assert.equal((await post({ headers, payload })).statusCode, 200);
    }
  });

  test('refuses a body that says anything, with all else that is wrong', async () => {
    const payload = { force: true, __proto: 1 };
    const answer = await post({ payload }, '?a=1');
    assert.equal(answer.statusCode, 400);
    const { errors } = assertErrorFormat(answer);
    assert.deepEqual(
      errors.map(({ errMsg, instancePath, params }) => [errMsg, instancePath, params]),
      [
        ['Unknown query parameter "a"', '/query', { additionalProperty: 'a' }],
        ['Unknown body property "force"', '/body', { additionalProperty: 'force' }],
        ['Unknown body property "__proto"', '/body', { additionalProperty: '__proto' }],
      ],
    );
    for (const other of ['[]', 'null', '"x"', '1', '[{}]']) {
      const headers = { 'content-type': 'application/json' };
      const refused = await post({ headers, payload: other });
      assert.equal(refused.statusCode, 400, other);
      const [error] = assertErrorFormat(refused).errors;
      assert.deepEqual([error?.['instancePath'], error?.['keyword']], ['/body', 'type'], other);
    }
  });

  test('is not made by a request that is refused', async () => {
    const usual = refresh;
    let made = 0;
    refresh = () => {
      made += 1;
      return Promise.resolve(account);
    };
    const refused = [
      await post({ payload: { a: 1 } }),
      await post({}, '?a=1'),
      await send('/v2/crypto/synced/x/refresh', { method: 'POST' }),
      await app.inject({ url: '/v2/crypto/synced/7/refresh', method: 'POST' }),
    ];
    refresh = usual;
    assert.deepEqual(
      refused.map(({ statusCode }) => statusCode),
      [400, 400, 400, 401],
    );
    assert.equal(made, 0);
  });
});

describe('a refresh that fails', () => {
  const failing = async (error: Error) => {
    const usual = refresh;
    refresh = () => Promise.reject(error);
    log.length = 0;
    const answer = await post();
    refresh = usual;
    const lines = log.map((line) => JSON.parse(line) as { level: number; reason?: string });
    return { answer, lines: lines.filter(({ level }) => level >= 40) };
  };

  for (const [reason, status] of [
    ['timeout', 504],
    ['unreachable', 502],
    ['rateLimited', 502],
    ['refused', 502],
    ['nonsense', 502],
    ['unconfigured', 502],
  ] as const) {
    test(`because of "${reason}" is ${status}, says why, and is a warning in the log`, async () => {
      const { answer, lines } = await failing(new CryptoRefreshError(reason, 'Kraken is so', 9));
      assert.equal(answer.statusCode, status);
      const { message, errors } = assertErrorFormat(answer);
      assert.equal(message, status === 502 ? 'Bad Gateway' : 'Gateway Timeout');
      assert.deepEqual(errors, [{ errMsg: 'Kraken is so', reason }]);
      assert.equal(answer.headers['retry-after'], '9');
      assertCounted(answer);
      assert.deepEqual(
        lines.map((line) => [line.level, line.reason]),
        [[40, reason]],
      );
    });
  }

  test('has no Retry-After when the provider says nothing of waiting', async () => {
    const { answer } = await failing(new CryptoRefreshError('refused', 'Kraken is so'));
    assert.equal(answer.headers['retry-after'], undefined);
  });

  test('has a Retry-After of a second at least', async () => {
    const { answer } = await failing(new CryptoRefreshError('rateLimited', 'Kraken is so', 0));
    assert.equal(answer.headers['retry-after'], '1');
  });

  test('for any other reason is a fault of the service, of which nothing is told', async () => {
    const { answer, lines } = await failing(new Error('planted'));
    assert.equal(answer.statusCode, 500);
    assert.doesNotMatch(answer.body, /planted/);
    assert.deepEqual(
      lines.map(({ level }) => level),
      [50],
    );
  });
});
