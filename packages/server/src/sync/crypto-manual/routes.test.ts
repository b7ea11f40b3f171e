import assert from 'node:assert/strict';
import { after, beforeEach, describe, it } from 'node:test';
import fc from 'fast-check';
import { cryptoAccounts, cryptoBalances } from '../../db/tables/tables.ts';
import { pick } from '../../http/testing/pick.ts';
import { strictClient } from '../../http/testing/strict-client.ts';
import { makeTestApp } from '../../http/testing/test-app.ts';
import { CryptoRefreshError } from '../../outside/provider-error.ts';
import { noServices } from '../../services.ts';
import type { AssetPrice } from '../prices/worth.ts';
import { formatSigned, parseQuantityInput, parseSigned } from './rules.ts';
import type { ManualCryptoAccount } from './schema.ts';

type Read = (ids: readonly string[], currency: string) => Promise<readonly AssetPrice[]>;
let prices: Read = () => Promise.resolve([]);
const requested: string[] = [];
const assetSource = {
  ...noServices.assetSource,
  prices: (ids: readonly string[], currency: string) => {
    requested.push(`${ids.join()} ${currency}`);
    return prices(ids, currency);
  },
};
const test = await makeTestApp({ services: { ...noServices, assetSource } });
after(() => test.app.close());
const ada = strictClient(test, test.ada);
const path = '/v2/crypto/manual';

interface Histories {
  readonly balance_history: readonly {
    readonly source: Readonly<Record<string, unknown>>;
    readonly balances: readonly { readonly type: string; readonly balance: string }[];
  }[];
}
type Refusal = Readonly<{ message: string; errors: readonly Readonly<Record<string, unknown>>[] }>;

const nowIso = () => new Date(test.clock.wallMs()).toISOString();
const priceOf = (coingecko_id: string, price: string): Read => {
  return () => Promise.resolve([{ coingecko_id, price, as_of: nowIso() }]);
};

const create = (body: object) => {
  const sent = { name: 'Wallet', balance: '0.5', symbol: 'btc', ...body };
  return ada.ok<ManualCryptoAccount>('POST', path, sent);
};

describe('manual crypto accounts', () => {
  beforeEach(() => {
    requested.length = 0;
    prices = () => Promise.resolve([]);
    test.clock.advance(3_600_000);
  });

  it('are created with the price of now, listed, and read one by one', async () => {
    prices = priceOf('bitcoin', '65000.1');
    const made = await create({ balance: '0.852341920145782301', institution_name: 'Safe' });
    assert.deepEqual(requested, ['bitcoin eur']);
    const { created_at, updated_at, balance_as_of, ...rest } = made;
    assert.deepEqual(rest, {
      id: 1,
      name: 'Wallet',
      display_name: null,
      institution_name: 'Safe',
      balance: '0.852341920145782301',
      symbol: 'btc',
      coingecko_id: 'bitcoin',
      to_base: 55_402.31,
      exchange_rate_as_of: nowIso(),
      created_by_name: 'ada',
    });
    assert.deepEqual([updated_at, balance_as_of], [created_at, created_at]);
    assert.deepEqual(await ada.ok('GET', `${path}/1`), made);
    assert.deepEqual(await ada.ok('GET', path), { crypto_manual: [made] });
    assert.deepEqual(await ada.changes(), ['createCryptoManual']);
    // A young price is used as it is.
    const debt = await create({ symbol: 'BTC', balance: -0.25, display_name: 'Debt' });
    assert.deepEqual([debt.to_base, debt.balance], [-16_250.025, '-0.250000000000000000']);
    assert.equal(requested.length, 1);
  });

  it('have no value without a price, whatever the price source does', async () => {
    const failed = new CryptoRefreshError('unreachable', 'It failed');
    for (const read of [() => Promise.resolve([]), () => Promise.reject(failed)]) {
      prices = read;
      const { to_base, exchange_rate_as_of } = await create({ symbol: 'doge' });
      assert.deepEqual([to_base, exchange_rate_as_of], [null, null]);
    }
    prices = () => Promise.reject(new Error('a bug'));
    const sent = { name: 'x', balance: 1, symbol: 'doge' };
    assert.equal(await ada.status('POST', path, sent), 500);
  });

  it('are updated at the last known price, also by a whole response sent back', async () => {
    prices = priceOf('bitcoin', '100');
    const made = await create({ display_name: 'Shown' });
    test.clock.advance(1000);
    const url = `${path}/${made.id}`;
    const set = await ada.ok<ManualCryptoAccount>('PUT', url, { ...made, balance: 2 });
    const { balance_as_of, updated_at } = set;
    const worth = { balance: '2.000000000000000000', to_base: 200, balance_as_of, updated_at };
    assert.deepEqual(set, { ...made, ...worth });
    assert.ok(balance_as_of! > made.balance_as_of!);
    const names = { name: 'New', display_name: null, institution_name: 'Bank', symbol: 'eth' };
    const named = await ada.ok<ManualCryptoAccount>('PUT', url, names);
    assert.deepEqual(named, { ...set, ...names, symbol: 'btc', updated_at: named.updated_at });
    await ada.changes();
    await ada.ok('PUT', url, { name: 'New', institution_name: 'Bank' });
    assert.deepEqual(await ada.changes(), []);
  });

  it('with a history are deleted only when it is said what happens to the history', async () => {
    prices = priceOf('bitcoin', '100');
    const histories = '/v2/balance_history';
    for (const keeps of [true, false]) {
      const { id } = await create({ name: `Wallet ${keeps}`, institution_name: 'Safe' });
      const url = `${histories}/crypto_manual/${id}`;
      const balances = [{ month: '2023-01', balance: 7, crypto_balance: '0.1' }];
      await ada.ok('PUT', url, { balances });
      const own = await ada.ok<Histories>('GET', url);
      const [{ source, balances: entries } = assert.fail()] = own.balance_history;
      assert.deepEqual(source, { type: 'crypto_manual', crypto_manual_id: id, symbol: 'btc' });
      assert.deepEqual(pick(entries, 'type', 'balance'), [
        ['historical', '7.0000'],
        ['current', '50.0000'],
      ]);
      const { status, body } = await ada.send<Refusal>('DELETE', `${path}/${id}`);
      assert.equal(status, 422);
      assert.equal(body.message, 'Explicit confirmation required');
      const [{ errMsg, ...keys } = assert.fail()] = body.errors;
      assert.match(String(errMsg), /keep_history/);
      assert.deepEqual(keys, {
        crypto_manual_id: id,
        has_balance_history: true,
        required_parameter: 'keep_history',
        allowed_values: [true, false],
      });
      await ada.ok('DELETE', `${path}/${id}?keep_history=${keeps}`);
      assert.equal(await ada.status('GET', `${path}/${id}`), 404);
      const sources = pick((await ada.ok<Histories>('GET', histories)).balance_history, 'source');
      const kept = sources.filter(({ type }) => type === 'deleted');
      assert.deepEqual(pick(kept, 'name', 'symbol'), [['Wallet true', 'btc']]);
    }
  });

  it('collect all that is wrong with a new one', async () => {
    const bad = { name: 'x', balance: '1000000000000000000', symbol: 'nocoin' };
    const errors = await ada.refused('POST', path, bad);
    assert.deepEqual(pick(errors, 'invalid_property', 'balance', 'symbol'), [
      ['balance', bad.balance, undefined],
      ['symbol', undefined, 'nocoin'],
    ]);
    assert.match(String(errors[1]!['errMsg']), /'nocoin'.*GET \/cryptocurrencies/);
    assert.equal((await ada.refused('POST', path, {})).length, 3);
    assert.deepEqual(requested, []);
  });

  it('refuse quantities of another form', async () => {
    for (const balance of ['1.0000000000000000001', '1e3', 1e300])
      await ada.refused('POST', path, { name: 'x', balance, symbol: 'btc' });
    const { id } = await create({});
    for (const body of [{}, { symbol: 'eth', to_base: 7 }, { balance: '9'.repeat(19) }])
      assert.equal((await ada.refused('PUT', `${path}/${id}`, body)).length, 1);
  });
});

const most = 10n ** 36n - 1n;

it('a quantity is written with 18 decimals, and read again without a loss', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -most, max: most }), (quantity) => {
      const text = formatSigned(quantity);
      assert.match(text, /^-?(0|[1-9]\d*)\.\d{18}$/);
      assert.equal(parseSigned(text), quantity);
    }),
  );
});

it('a number of a request means what it prints', () => {
  for (const [value, quantity] of [
    [1, 10n ** 18n],
    [-0.5, -5n * 10n ** 17n],
    [1e-18, 1n],
    [5e-19, 0n],
    [1.5e-18, 2n],
    [123456789.125, 123_456_789_125_000_000_000_000_000n],
    [1e17, 10n ** 35n],
    [-0, 0n],
  ] as const)
    assert.equal(parseQuantityInput(value), quantity, String(value));
});

it('a quantity of 10^18 or more, and a text of another form, is refused', () => {
  for (const value of [1e18, -1e18, 1e300, 1e21, Number.MAX_VALUE, '1000000000000000000'])
    assert.equal(parseQuantityInput(value), null, String(value));
  for (const text of ['', '-', '1.', '.5', '--1', '+1', '1e3', ' 1', '1.0000000000000000000'])
    assert.equal(parseQuantityInput(text), null, text);
  assert.throws(() => parseSigned('many'), /"quantity" is "many"/);
});

const { book, send, ok, changes } = strictClient(test, test.ben);
const quantity = '1.500000000000000000';
const readAt = '2026-03-15T06:30:00.250Z';

function addSynced(status: 'active' | 'relink', to_base: number | null): Promise<object> {
  return book.change(function* (change) {
    const { id, created_at } = yield* change.insert(cryptoAccounts, {
      provider: 'kraken',
      status,
      display_name: 'Mine',
      last_import: readAt,
      created_by_name: 'Ada',
      sealed_credentials: Buffer.of(1),
    });
    const asset = { symbol: 'btc', name: 'BTC', coingecko_id: 'bitcoin', quantity };
    const priced = { to_base, price_as_of: to_base === null ? null : readAt };
    yield* change.insert(cryptoBalances, { account_id: id, ...asset, ...priced, read_at: readAt });
    return { zabo_account_id: id, created_at };
  });
}

it('crypto lists manual accounts, and each balance of synced accounts', async () => {
  const sent = { name: 'Cold', symbol: 'eth', balance: '0.5', institution_name: 'Safe' };
  const v2 = await ok<ManualCryptoAccount>('POST', '/v2/crypto/manual', sent);
  const active = await addSynced('active', 600_000_000);
  const relink = await addSynced('relink', null);
  const synced = {
    source: 'synced',
    name: 'BTC',
    display_name: null,
    balance: quantity,
    balance_as_of: readAt,
    currency: 'btc',
    institution_name: 'kraken',
  };
  const manual = {
    id: v2.id,
    source: 'manual',
    created_at: v2.created_at,
    name: 'Cold',
    display_name: null,
    balance: '0.500000000000000000',
    balance_as_of: v2.balance_as_of,
    currency: 'ETH',
    status: 'active',
    institution_name: 'Safe',
  };
  assert.deepEqual(await ok('GET', '/v1/crypto'), {
    crypto: [
      manual,
      { ...synced, ...active, to_base: 60_000, status: 'active' },
      { ...synced, ...relink, status: 'error' },
    ],
  });
});

it('a manual crypto account is updated, or refused with the texts of v1', async () => {
  const sent = { name: 'Hot', symbol: 'btc', balance: '1' };
  const v2 = await ok<ManualCryptoAccount>('POST', '/v2/crypto/manual', sent);
  const url = `/v1/crypto/manual/${v2.id}`;
  const same = { currency: 'BTC', name: null, unknown: 1 };
  const display_name = 'A name of more than 25 letters';
  const more = { display_name, institution_name: 'Bank', balance: 2.25 };
  const { id, created_at, name } = v2;
  const updated = { id, source: 'manual', created_at, name, ...more };
  const body = await ok('PUT', url, { ...same, ...more });
  assert.deepEqual(body, { ...updated, balance: '2.250000000000000000' });
  await changes();
  const refusals: [object, string][] = [
    [{ currency: 'fake' }, 'currency is invalid for crypto: fake. It may not be supported yet.'],
    [{ currency: 'eth', name: 'x' }, 'currency of a crypto asset cannot be changed: btc.'],
    [{ ...same, balance: null }, 'No valid fields to update for this crypto asset.'],
    [{ balance: 'x' }, 'Body property balance must be '],
    [{ balance: '9'.repeat(30) }, 'Body property balance must have at most 18 digits before'],
  ];
  for (const [refused, text] of refusals) {
    const answer = await send<{ errors: string[] }>('PUT', url, refused);
    assert.deepEqual([answer.status, Object.keys(answer.body)], [200, ['errors']]);
    assert.ok(answer.body.errors[0]?.startsWith(text), answer.body.errors[0]);
  }
  const missing = ['There is no crypto asset with the id: 8765.'];
  assert.deepEqual((await send('PUT', '/v1/crypto/manual/8765', more)).body, { errors: missing });
  assert.deepEqual(await changes(), []);
});
