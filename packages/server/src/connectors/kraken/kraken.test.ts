import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { connectorContract } from '../connector-contract.ts';
import { krakenSignature, readKrakenHoldings } from './kraken.ts';
import type { KrakenRequest } from './kraken.ts';
import { exampleKrakenCredentials } from '../testing/example-credentials.ts';
import { startKrakenServer } from '../testing/kraken-server.ts';

const credentials = exampleKrakenCredentials();
const server = await startKrakenServer({ ...credentials, balances: { XXBT: '0.1000000001' } });
after(() => server.close());

let nonce = 1_767_225_600_000_000n;
function read(rest: Partial<KrakenRequest> = {}) {
  const signal = AbortSignal.timeout(20_000);
  return readKrakenHoldings({
    url: server.url,
    ...credentials,
    nonce: (nonce += 1n),
    signal,
    ...rest,
  });
}

const balances = (result: unknown) => ({ error: [], result });

connectorContract('the Kraken connector', {
  server,
  secrets: [credentials.apiKey, credentials.privateKey],
  holdings: [
    { symbol: 'btc', name: 'BTC', quantity: '0.100000000100000000', coingeckoId: 'bitcoin' },
  ],
  read: (signal) => read({ signal }),
  invalidResponses: {
    'no list of errors': { result: {} },
    'errors that are a string': { error: 'EAPI:Invalid key', result: {} },
    'an error that is not a string': { error: [7] },
    'an error that is not documented': { error: ['canary-in-response'] },
    'an error of another method': { error: ['EOrder:canary-in-response'] },
    'no balances': { error: [] },
    'balances of null': balances(null),
    'balances in an array': balances([]),
    'balances in a string': balances('XXBT'),
    'an amount as a number': balances({ XXBT: 0.1 }),
    'an amount as a huge number': balances({ XXBT: 1e30 }),
    'a negative amount': balances({ XXBT: '-0.1' }),
    'an amount with a plus': balances({ XXBT: '+0.1' }),
    'an amount with an exponent': balances({ XXBT: '1e30' }),
    'an amount that is not a number': balances({ XXBT: 'NaN' }),
    'an infinite amount': balances({ XXBT: 'Infinity' }),
    'an amount of 10^18': balances({ XXBT: `1${'0'.repeat(18)}` }),
    'an amount of 10^30': balances({ XXBT: `1${'0'.repeat(30)}.0` }),
    'an amount with 19 places': balances({ XXBT: `0.${'0'.repeat(18)}1` }),
    'an amount without decimals after the point': balances({ XXBT: '1.' }),
    'an empty amount': balances({ XXBT: '' }),
    'an amount with a comma': balances({ XXBT: '1,5' }),
    'an amount of null': balances({ XXBT: null }),
    'a sum that is too large': balances({ XXBT: '9'.repeat(18), 'XBT.M': '9'.repeat(18) }),
    'a symbol of 26 letters': balances({ ['A'.repeat(26)]: '1' }),
    'a symbol with a space': balances({ 'X Y': '1' }),
    'an empty symbol': balances({ '': '1' }),
    'more than 1,000 assets': balances(
      Object.fromEntries(Array.from({ length: 1001 }, (_, n) => [`A${n}`, '1'])),
    ),
  },
});

describe('the Kraken connector', () => {
  async function quantities(balances: Record<string, string>) {
    server.setBalances(balances);
    const holdings = await read();
    return Object.fromEntries(holdings.map(({ symbol, quantity }) => [symbol, quantity]));
  }

  it('signs the example of the documentation like Kraken', () => {
    const signature = krakenSignature(
      'kQH5HW/8p1uGOVjbgWA7FunAmGO8lsSUXNsu3eow76sz84Q18fWxnyRzBHCd3pd5nE9qa99HAZtuZuj6F1huXg==',
      '/0/private/AddOrder',
      '1616492376594',
      'nonce=1616492376594&ordertype=limit&pair=XBTUSD&price=37500&type=buy&volume=1.25',
    );
    assert.equal(
      signature,
      '4/dpxb3iT4tp/ZCVEwSnEsLxx0bqyhLpdfOpc6fn7OR8+UClSV5n9E6aSS8MPtnRfp32bAb0nmbRn6H8ndwLUQ==',
    );
  });

  it('adds up the variants of an asset, without fiat money and zeros', async () => {
    const read = await quantities({
      XXBT: '0.1000000000',
      'XBT.M': '0.0200000000',
      'XBT.F': '0.0000000003',
      XETH: '1.0000000000',
      'ETH.S': '2.0000000000',
      'ETH2.S': '3.0000000000',
      ETH2: '4.0000000000',
      'ETH.F': '0.5000000000',
      'DOT28.S': '7.5000000000',
      DOT: '0.0000000000',
      'DOT.P': '0.5',
      XXDG: '1000.0',
      ADA: '0.0000000000',
      'USD.HOLD': '5.0000',
      ZUSD: '100.0000',
      EUR: '3.0000',
      'EUR.M': '3.0000',
      ZEUR: '-7.0000',
      KFEE: '12.00',
    });
    assert.deepEqual(read, {
      btc: '0.120000000300000000',
      eth: '10.500000000000000000',
      dot: '8.000000000000000000',
      doge: '1000.000000000000000000',
    });
  });

  it('orders holdings by symbol, and lists an unknown asset without an id', async () => {
    server.setBalances({ ZRX: '1', NEWCOIN: '0.5', AAVE: '2' });
    const holdings = await read();
    assert.deepEqual(
      holdings.map(({ name, coingeckoId }) => [name, coingeckoId]),
      [
        ['AAVE', 'aave'],
        ['NEWCOIN', null],
        ['ZRX', '0x'],
      ],
    );
  });

  it('reads 1,000 assets', async () => {
    server.setBalances(Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`A${n}`, '1'])));
    assert.equal((await read()).length, 1000);
  });

  it('sends the given nonce, signed and with all its digits', async () => {
    const largest = 2n ** 63n - 2n;
    for (const each of [nonce + 1n, 2n ** 53n + 1n, largest]) {
      await read({ nonce: each });
      assert.equal(server.nonces.at(-1), each);
    }
    nonce = largest;
  });

  it('fails as refused with another key or signature, and as rateLimited with an old nonce', async () => {
    const { apiKey, privateKey } = exampleKrakenCredentials('another');
    const refused = { name: 'CryptoRefreshError', reason: 'refused' };
    await assert.rejects(read({ apiKey }), refused);
    await assert.rejects(read({ privateKey }), refused);
    await read();
    await assert.rejects(read({ nonce }), { reason: 'rateLimited', message: /nonce.*program/ });
  });

  it('maps errors of Kraken to reasons', async () => {
    const reasons = {
      'EAPI:Rate limit exceeded': 'rateLimited',
      'EGeneral:Temporary lockout': 'rateLimited',
      'EService:Throttled: 1767225600': 'rateLimited',
      'EAuth:Rate limit exceeded': 'rateLimited',
      'EAuth:Too many requests': 'rateLimited',
      'EAPI:Invalid key': 'refused',
      'EAPI:Invalid signature': 'refused',
      'EAPI:Invalid nonce': 'rateLimited',
      'EAPI:Invalid permission': 'refused',
      'EGeneral:Permission denied': 'refused',
      'EAuth:Account temporary disabled': 'refused',
      'EService:Unavailable': 'unreachable',
      'EService:Busy': 'unreachable',
      'EGeneral:Internal error': 'unreachable',
      'EAPI:Feature disabled': 'unsupported',
      'EGeneral:Unknown method': 'unsupported',
      'EGeneral:Invalid arguments': 'nonsense',
    };
    for (const [error, reason] of Object.entries(reasons)) {
      await server.fail({ json: { error: [error] } });
      await assert.rejects(read(), { reason }, error);
    }
    await server.fail(null);
  });

  it('ignores warnings', async () => {
    await server.fail({ json: { error: ['WGeneral:Deprecated'], result: { XXBT: '1' } } });
    assert.equal((await read()).length, 1);
    await server.fail(null);
  });
});
