import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Fault } from '../../packages/server/src/sync/testing/provider-server.ts';
import {
  addedAt,
  held,
  pricedAt,
  startProviders,
  type ProviderName,
} from '../service/crypto-providers.ts';
import { header, type Answer } from '../service/http-exchange.ts';
import { errorsOf, startService } from '../service/started-service.ts';

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

function refresh(provider: ProviderName): Promise<Answer> {
  return service.ask(`/v2/crypto/synced/${ids[provider]}/refresh`, { method: 'POST' });
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

/** What a provider does wrong, with the reason and the status of the account. */
const faults: readonly (readonly [Fault, reason: string, noted: string])[] = [
  ['down', 'unreachable', 'active'],
  ['reset', 'unreachable', 'active'],
  ['truncated', 'unreachable', 'active'],
  [{ status: 500 }, 'unreachable', 'active'],
  [{ status: 503, retryAfter: '7' }, 'unreachable', 'active'],
  [{ status: 429, retryAfter: '37' }, 'rateLimited', 'active'],
  [{ status: 429 }, 'rateLimited', 'active'],
  [{ status: 401 }, 'refused', 'relink'],
  [{ status: 403 }, 'refused', 'relink'],
  [{ status: 404 }, 'unreachable', 'active'],
  [{ redirectTo: 'http://127.0.0.1:9/' }, 'unreachable', 'active'],
  ['html', 'unreachable', 'active'],
  ['notHttp', 'nonsense', 'active'],
  ['notUtf8', 'nonsense', 'active'],
  ['deepJson', 'nonsense', 'active'],
  ['endless', 'nonsense', 'active'],
  [{ text: '' }, 'nonsense', 'active'],
  [{ json: { surprise: true } }, 'nonsense', 'active'],
];

test('4 POST /v2/crypto/synced/{id}/refresh is 502 when the provider fails, and keeps the balances and the secrets', async () => {
  for (const provider of names) {
    for (const [fault, reason, noted] of faults) {
      const place = `${provider} ${JSON.stringify(fault)}`;
      assert.equal((await refresh(provider)).status, 200, place);
      const before = await read(provider);
      await providers[provider].fail(fault);
      const answer = await refresh(provider);
      await providers[provider].fail(null);
      assert.equal(answer.status, 502, place);
      assert.equal(errorsOf(answer).errors[0]?.['reason'], reason, place);
      const received = answer.text + JSON.stringify(answer.lines);
      for (const secret of providers.secrets) assert.ok(!received.includes(secret), place);
      const wait = typeof fault === 'object' && 'status' in fault && fault.status === 429;
      assert.deepEqual(answer.lines['retry-after'], wait && fault.retryAfter ? ['37'] : undefined);
      const now = await read(provider);
      assert.equal(now.status, noted, place);
      const { balances, last_import: lastImport } = before;
      assert.deepEqual([now.balances, now.last_import], [balances, lastImport], place);
    }
  }
});
