import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { connectorContract } from '../connector-contract.ts';
import { coingeckoIdOf } from './assets.ts';
import { krakenSignature, readKrakenHoldings, type KrakenRequest, krakenSymbol } from './kraken.ts';
import { exampleKrakenCredentials } from '../testing/example-credentials.ts';
import { startKrakenServer, type KrakenBalances } from '../testing/kraken-server.ts';

const credentials = exampleKrakenCredentials();
const server = await startKrakenServer({ ...credentials, balances: { XXBT: '0.1000000001' } });
after(() => server.close());

let nonce = 1_767_225_600_000_000n;
const read = (rest: Partial<KrakenRequest> = {}) =>
  readKrakenHoldings({
    url: server.url,
    ...credentials,
    nonce: (nonce += 1n),
    signal: AbortSignal.timeout(20_000),
    ...rest,
  });

const assets = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`A${n}`, '1']));
const longAmounts = [`1${'0'.repeat(18)}`, `1${'0'.repeat(30)}.0`, `0.${'0'.repeat(18)}1`];
const amounts = ['-0.1|+0.1|1e30|NaN|Infinity|1.||1,5'.split('|'), 0.1, 1e30, null, longAmounts];

const named = { symbol: 'btc', name: 'BTC', coingecko_id: 'bitcoin' };
const bitcoin = { ...named, quantity: '0.100000000100000000' };
connectorContract('the Kraken connector', {
  server,
  secrets: [credentials.apiKey, credentials.privateKey],
  holdings: [bitcoin],
  read: (signal) => read({ signal }),
  invalidResponses: [
    { result: {} },
    { error: 'EAPI:Invalid key', result: {} },
    { error: [7] },
    { error: ['canary-in-response'] },
    { error: ['EOrder:canary-in-response'] },
    { error: [] },
    ...[
      null,
      [],
      'XXBT',
      assets(1001),
      ...amounts.flat().map((XXBT) => ({ XXBT })),
      { XXBT: '9'.repeat(18), 'XBT.M': '9'.repeat(18) },
      { ['A'.repeat(26)]: '1' },
      { 'X Y': '1' },
      { '': '1' },
    ].map((result) => ({ error: [], result })),
  ],
});

describe('the Kraken connector', () => {
  it('signs the example of the documentation like Kraken', () => {
    const key =
      'kQH5HW/8p1uGOVjbgWA7FunAmGO8lsSUXNsu3eow76sz84Q18fWxnyRzBHCd3pd5nE9qa99HAZtuZuj6F1huXg==';
    const body = 'ordertype=limit&pair=XBTUSD&price=37500&type=buy&volume=1.25';
    const nonce = '1616492376594';
    assert.equal(
      krakenSignature(key, '/0/private/AddOrder', nonce, `nonce=${nonce}&${body}`),
      '4/dpxb3iT4tp/ZCVEwSnEsLxx0bqyhLpdfOpc6fn7OR8+UClSV5n9E6aSS8MPtnRfp32bAb0nmbRn6H8ndwLUQ==',
    );
  });

  it('adds up the variants of an asset by symbol, without fiat money and zeros', async () => {
    const balances =
      'XXBT 0.1000000000, XBT.M 0.0200000000, XBT.F 0.0000000003, XETH 1.0000000000, ETH.S 2.0000000000, ' +
      'ETH2.S 3.0000000000, ETH2 4.0000000000, ETH.F 0.5000000000, DOT28.S 7.5000000000, DOT 0.0000000000, ' +
      'DOT.P 0.5, NEWCOIN 1000.0, ADA 0.0000000000, USD.HOLD 5.0000, ZUSD 100.0000, EUR 3.0000, ZEUR -7.0000, ' +
      'KFEE 12.00, CONSTRUCTOR 1, X.Y 0, AAAAAAAAAAAAAAAAAAAAAAAAA 0.000000000000000001';
    server.setBalances(
      Object.fromEntries(balances.split(', ').map((pair) => pair.split(' '))) as KrakenBalances,
    );
    const holdings = await read();
    assert.deepEqual(
      holdings.map(({ name, quantity, coingecko_id }) => `${name} ${quantity} ${coingecko_id}`),
      [
        'AAAAAAAAAAAAAAAAAAAAAAAAA 0.000000000000000001 null',
        'BTC 0.120000000300000000 bitcoin',
        'CONSTRUCTOR 1.000000000000000000 null',
        'DOT 8.000000000000000000 polkadot',
        'ETH 10.500000000000000000 ethereum',
        'NEWCOIN 1000.000000000000000000 null',
      ],
    );
    server.setBalances(assets(1000));
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

  it('maps errors of Kraken to reasons, and ignores warnings', async () => {
    const reasons = {
      rateLimited:
        'EAPI:Rate limit exceeded|EGeneral:Temporary lockout|EService:Throttled: 1767225600|' +
        'EAuth:Rate limit exceeded|EAuth:Too many requests|EAPI:Invalid nonce',
      refused:
        'EAPI:Invalid key|EAPI:Invalid signature|EAPI:Invalid permission|' +
        'EGeneral:Permission denied|EAuth:Account temporary disabled',
      unreachable: 'EService:Unavailable|EService:Busy|EGeneral:Internal error',
      unsupported: 'EAPI:Feature disabled|EGeneral:Unknown method',
      nonsense: 'EGeneral:Invalid arguments',
    };
    for (const [reason, errors] of Object.entries(reasons))
      for (const error of errors.split('|')) {
        await server.fail({ json: { error: [error] } });
        await assert.rejects(read(), { reason }, error);
      }
    await server.fail({ json: { error: ['WGeneral:Deprecated'], result: { XXBT: '1' } } });
    assert.equal((await read()).length, 1);
    await server.fail(null);
  });
});

describe('an asset code of Kraken', () => {
  it('has the symbol in general use', () => {
    const symbols =
      'XXBT btc, XBT btc, XBT.M btc, XBT.F btc, XETH eth, ETH.S eth, ETH.F eth, ETH2 eth, ETH2.S eth, ETHW ethw, ' +
      'XETC etc, XLTC ltc, XXRP xrp, XRP xrp, XXLM xlm, XXMR xmr, XZEC zec, XXDG doge, XDG doge, XTZ xtz, ' +
      'XTZ.S xtz, ZRX zrx, DOT.S dot, DOT28.S dot, DOT.P dot, SOL03.S sol, SOL.B sol, 1INCH 1inch, LUNA lunc, ' +
      'LUNA2 luna, UST ustc, USDT.F usdt, USDC usdc, AAPLx.T aaplxt, TSLA.T tslat, BTC.NEW btcnew';
    for (const [code, symbol] of symbols.split(', ').map((pair) => pair.split(' ')))
      assert.equal(krakenSymbol(code!), symbol, code);
  });

  it('of fiat money or credits is not crypto, and others have an id', () => {
    const money = 'ZUSD USD USD.HOLD USD.M EUR ZEUR EUR.HOLD CHF ZGBP ZJPY ZCAD ZAUD KFEE';
    for (const code of money.split(' ')) assert.equal(krakenSymbol(code), null, code);
    for (const code of 'XXBT XETH XXDG LUNA LUNA2 UST XMLN REPV2 XZEC'.split(' '))
      assert.notEqual(coingeckoIdOf(krakenSymbol(code) ?? ''), null, code);
  });
});
