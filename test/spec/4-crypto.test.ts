import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createCryptoReader } from '../../packages/server/src/connectors/reader.ts';
import type { Fault } from '../../packages/server/src/connectors/testing/provider-server.ts';
import { ManualClock } from '../../packages/server/src/limiter/testing/manual-clock.ts';
import { untilTrue } from '../../packages/server/src/limiter/testing/sharing.ts';
import { readConfig } from '../../packages/server/src/main.ts';
import { storeCryptoReading } from '../../packages/server/src/resources/crypto/testing/store-reading.ts';
import {
  addedAt,
  held,
  pricedAt,
  startProviders,
  type ProviderName,
} from '../service/crypto-providers.ts';
import { header, type Answer } from '../service/http-exchange.ts';
import {
  errorsOf,
  startService,
  startServiceWith,
  type Asking,
} from '../service/started-service.ts';

const providers = await startProviders();
after(() => providers.close());
const service = await startService(providers.flags, providers.environment);
after(() => service.close());
const { ada, engine } = service;

const ids: Readonly<Record<ProviderName, number>> = {
  kraken: await providers.add(engine, ada, 'kraken'),
  coinbase: await providers.add(engine, ada, 'coinbase'),
  ethereum: await providers.add(engine, ada, 'ethereum'),
};
const names = Object.keys(ids) as ProviderName[];

interface Balance {
  readonly symbol: string;
  readonly balance: string;
  readonly to_base: number | null;
  readonly exchange_rate_as_of: string | null;
}
interface Account {
  readonly id: number;
  readonly status: string;
  readonly last_import: string | null;
  readonly balances: readonly Balance[];
}

async function refresh(provider: ProviderName, asking: Asking = {}): Promise<Answer> {
  const method = 'POST';
  return service.ask(`/v2/crypto/synced/${ids[provider]}/refresh`, { method, ...asking });
}

async function read(provider: ProviderName): Promise<Account> {
  const { text, status } = await service.ask(`/v2/crypto/synced/${ids[provider]}`);
  assert.equal(status, 200, text);
  return JSON.parse(text) as Account;
}

function shown({ balances }: Account): unknown {
  return balances.map(({ symbol, balance, to_base: worth }) => [symbol, balance, worth]);
}

test('4 POST /v2/crypto/synced/{id}/refresh returns the balances of the provider with their values', async () => {
  for (const provider of names) {
    const before = await read(provider);
    assert.deepEqual([before.status, before.last_import], ['initializing', null]);
    assert.deepEqual(before.balances, []);
    const answer = await refresh(provider);
    assert.equal(answer.status, 200, answer.text);
    const account = JSON.parse(answer.text) as Account;
    assert.deepEqual(shown(account), held[provider]);
    assert.equal(account.status, 'active');
    assert.ok(account.last_import !== null && account.last_import > addedAt);
    for (const balance of account.balances) assert.equal(balance.exchange_rate_as_of, pricedAt);
  }
});

test('4 POST /v2/crypto/synced/{id}/refresh returns the same account as GET, alone and in the list', async () => {
  const answers = [];
  for (const provider of names) answers.push((await refresh(provider)).text);
  for (const [at, provider] of names.entries()) {
    const { text } = await service.ask(`/v2/crypto/synced/${ids[provider]}`);
    assert.equal(text, answers[at]);
    for (const balance of (JSON.parse(text) as Account).balances) {
      for (const symbol of [balance.symbol, balance.symbol.toUpperCase()]) {
        const one = await service.ask(`/v2/crypto/synced/${ids[provider]}/${symbol}`);
        assert.deepEqual(JSON.parse(one.text), balance);
      }
    }
  }
  const list = await service.ask('/v2/crypto/synced');
  assert.equal(list.text, `{"crypto_synced":[${answers.join(',')}]}`);
});

test('4 POST /v2/crypto/synced/{id}/refresh makes earlier ETags invalid', async () => {
  const path = `/v2/crypto/synced/${ids.kraken}`;
  await refresh('kraken');
  const mark = header(await service.ask(path), 'ETag');
  const headers = ['If-None-Match', mark];
  assert.equal((await service.ask(path, { headers })).status, 304);
  providers.kraken.setBalances({ XXBT: '0.5' });
  await refresh('kraken');
  const answer = await service.ask(path, { headers });
  assert.equal(answer.status, 200);
  assert.equal((JSON.parse(answer.text) as Account).balances[0]?.balance, '0.500000000000000000');
  providers.kraken.setBalances({ XXBT: '0.1000200030' });
  await refresh('kraken');
});

/** What a provider does wrong, with the status of the response, the reason, and the status of the account. */
const faults: readonly (readonly [Fault, status: number, reason: string, noted: string])[] = [
  ['down', 502, 'unreachable', 'active'],
  ['reset', 502, 'unreachable', 'active'],
  ['truncated', 502, 'unreachable', 'active'],
  [{ status: 500 }, 502, 'unreachable', 'active'],
  [{ status: 503, retryAfter: '7' }, 502, 'unreachable', 'active'],
  [{ status: 429, retryAfter: '37' }, 502, 'rateLimited', 'active'],
  [{ status: 429 }, 502, 'rateLimited', 'active'],
  [{ status: 401 }, 502, 'refused', 'relink'],
  [{ status: 403 }, 502, 'refused', 'relink'],
  [{ status: 404 }, 502, 'unreachable', 'active'],
  [{ redirectTo: 'http://127.0.0.1:9/' }, 502, 'unreachable', 'active'],
  ['html', 502, 'unreachable', 'active'],
  ['notHttp', 502, 'nonsense', 'active'],
  ['notUtf8', 502, 'nonsense', 'active'],
  ['deepJson', 502, 'nonsense', 'active'],
  ['endless', 502, 'nonsense', 'active'],
  [{ text: '' }, 502, 'nonsense', 'active'],
  [{ json: { surprise: true } }, 502, 'nonsense', 'active'],
];

test('4 POST /v2/crypto/synced/{id}/refresh is 502 when the provider fails, and keeps the balances', async () => {
  for (const provider of names) {
    for (const [fault, status, reason, noted] of faults) {
      const place = `${provider} ${JSON.stringify(fault)}`;
      assert.equal((await refresh(provider)).status, 200, place);
      const before = await read(provider);
      await providers[provider].fail(fault);
      const answer = await refresh(provider);
      await providers[provider].fail(null);
      assert.equal(answer.status, status, place);
      assert.equal(errorsOf(answer).errors[0]?.['reason'], reason, place);
      const wait = typeof fault === 'object' && 'status' in fault && fault.status === 429;
      assert.deepEqual(answer.lines['retry-after'], wait && fault.retryAfter ? ['37'] : undefined);
      const now = await read(provider);
      assert.equal(now.status, noted, place);
      const { balances, last_import: lastImport } = before;
      assert.deepEqual([now.balances, now.last_import], [balances, lastImport], place);
    }
  }
});

test('4 POST /v2/crypto/synced/{id}/refresh makes an account unsupported after repeated nonsense, until it succeeds', async () => {
  for (const provider of names) {
    await refresh(provider);
    await providers[provider].fail({ json: { surprise: true } });
    const statuses = [];
    for (let n = 0; n < 3; n += 1) {
      assert.equal((await refresh(provider)).status, 502);
      statuses.push((await read(provider)).status);
    }
    await providers[provider].fail(null);
    assert.equal((await refresh(provider)).status, 200);
    statuses.push((await read(provider)).status);
    assert.deepEqual(statuses, ['active', 'active', 'unsupported', 'active'], provider);
  }
});

test('4 POST /v2/crypto/synced/{id}/refresh is 504 when the provider is too slow, within seconds', async () => {
  for (const provider of names) await refresh(provider);
  const before = await Promise.all(names.map(read));
  const slow: readonly Fault[] = ['slowHeader', 'slowBody', 'slowHeader'];
  await Promise.all(names.map((provider, at) => providers[provider].fail(slow[at]!)));
  const answers = await Promise.all(names.map((provider) => refresh(provider)));
  await Promise.all(names.map((provider) => providers[provider].fail(null)));
  for (const answer of answers) {
    assert.equal(answer.status, 504, answer.text);
    assert.equal(errorsOf(answer).message, 'Gateway Timeout');
    assert.equal(errorsOf(answer).errors[0]?.['reason'], 'timeout');
  }
  assert.deepEqual(await Promise.all(names.map(read)), before);
});

test('4 POST /v2/crypto/synced/{id}/refresh calls the provider once for concurrent requests', async (t) => {
  let arrived = 0;
  const { providers: settings } = readConfig(providers.flags, providers.environment);
  const own = await startServiceWith(new ManualClock(), {
    services: { cryptoReader: createCryptoReader({ providers: settings }) },
    onHandling: () => (arrived += 1),
  });
  t.after(() => own.close());
  for (const provider of names) {
    const id = await providers.add(own.engine, own.ada, provider);
    const { calls } = providers[provider];
    const before = calls.length;
    const release = providers[provider].hold();
    arrived = 0;
    const asked = Array.from({ length: 21 }, () =>
      own.ask(`/v2/crypto/synced/${id}/refresh`, { method: 'POST' }),
    );
    await providers[provider].arrived(before + 1);
    await untilTrue(() => arrived === asked.length, 'The requests did not arrive');
    release();
    const answers = await Promise.all(asked);
    assert.equal(calls.length, before + 1, provider);
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
    for (const { status } of answers) assert.equal(status, 200);
  }
});

test('4 POST /v2/crypto/synced/{id}/refresh keeps the prices when their source fails', async () => {
  await refresh('coinbase');
  await providers.prices.fail({ status: 500 });
  providers.coinbase.setBalances({ ETH: '6.00225', BTC: '1', SOL: '3' });
  const answer = await refresh('coinbase');
  providers.coinbase.setBalances({ ETH: '12.0045', BTC: '1' });
  await providers.prices.fail(null);
  assert.equal(answer.status, 200);
  const { balances } = JSON.parse(answer.text) as Account;
  assert.deepEqual(
    balances.map(({ symbol, to_base, exchange_rate_as_of }) => [
      symbol,
      to_base,
      exchange_rate_as_of,
    ]),
    [
      ['btc', 62_300.4, pricedAt],
      ['eth', 12_004.5, pricedAt],
      ['sol', null, null],
    ],
  );
});

test('4 POST /v2/crypto/synced/{id}/refresh is 404 for an unknown id, and 400 for a word or a body', async () => {
  const method = 'POST';
  const missing = await service.ask('/v2/crypto/synced/9999999999999/refresh', { method });
  assert.equal(missing.status, 404);
  const text = 'There is no synced crypto account with the id: 9999999999999.';
  assert.equal(errorsOf(missing).errors[0]?.['errMsg'], text);
  assert.equal((await service.ask('/v2/crypto/synced/x/refresh', { method })).status, 400);
  const headers = ['Content-Type', 'application/json'];
  assert.equal((await refresh('kraken', { headers, body: '{"a":1}' })).status, 400);
  assert.equal((await refresh('kraken', { headers, body: '{}' })).status, 200);
  assert.equal((await refresh('kraken', { headers, body: '' })).status, 200);
});

test('4 POST /v2/crypto/synced/{id}/refresh is 502 without the encryption key, and stored balances are still served', async () => {
  const keyless = await startService(providers.flags, { ENCRYPTION_KEY: '' });
  try {
    const id = await providers.add(keyless.engine, keyless.ada, 'kraken');
    const reading = {
      readAtIso: '2026-11-21T08:00:00.000Z',
      balances: [
        {
          ...{ symbol: 'btc', name: 'BTC', quantity: '1.000000000000000000' },
          ...{ coingeckoId: 'bitcoin', toBase: null, priceAsOfIso: null },
        },
      ],
    };
    await storeCryptoReading(keyless.engine, keyless.ada.bookId, id, reading);
    const before = await keyless.ask(`/v2/crypto/synced/${id}`);
    assert.equal(before.status, 200);
    const method = 'POST';
    const answer = await keyless.ask(`/v2/crypto/synced/${id}/refresh`, { method });
    assert.equal(answer.status, 502);
    assert.equal(errorsOf(answer).errors[0]?.['reason'], 'unconfigured');
    assert.equal((await keyless.ask(`/v2/crypto/synced/${id}`)).text, before.text);
  } finally {
    await keyless.close();
  }
});

test('4 POST /v2/crypto/synced/{id}/refresh never shows a secret, whatever happens', async () => {
  const texts = [(await service.ask('/v2/crypto/synced')).text];
  for (const provider of names) {
    for (const fault of [null, ...faults.map(([fault]) => fault)]) {
      await providers[provider].fail(fault);
      const { text, lines } = await refresh(provider);
      texts.push(text, JSON.stringify(lines));
    }
    await providers[provider].fail(null);
  }
  const all = texts.join('\n');
  assert.ok(providers.secrets.length >= 6);
  for (const secret of providers.secrets) {
    assert.ok(!all.includes(secret) && !all.includes(JSON.stringify(secret).slice(1, -1)));
  }
});
