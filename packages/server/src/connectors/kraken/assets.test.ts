import assert from 'node:assert/strict';
import { it } from 'node:test';
import { coingeckoIdOf } from '../holdings/assets.ts';
import { krakenSymbol } from './assets.ts';

it('the symbol of a Kraken asset code is the one in general use', () => {
  const symbols = {
    XXBT: 'btc',
    XBT: 'btc',
    'XBT.M': 'btc',
    'XBT.F': 'btc',
    XETH: 'eth',
    'ETH.S': 'eth',
    'ETH.F': 'eth',
    ETH2: 'eth',
    'ETH2.S': 'eth',
    ETHW: 'ethw',
    XETC: 'etc',
    XLTC: 'ltc',
    XXRP: 'xrp',
    XRP: 'xrp',
    XXLM: 'xlm',
    XXMR: 'xmr',
    XZEC: 'zec',
    XXDG: 'doge',
    XDG: 'doge',
    XTZ: 'xtz',
    'XTZ.S': 'xtz',
    ZRX: 'zrx',
    'DOT.S': 'dot',
    'DOT28.S': 'dot',
    'DOT.P': 'dot',
    'SOL03.S': 'sol',
    'SOL.B': 'sol',
    '1INCH': '1inch',
    LUNA: 'lunc',
    LUNA2: 'luna',
    UST: 'ustc',
    'USDT.F': 'usdt',
    USDC: 'usdc',
    'AAPLx.T': 'aaplxt',
    'TSLA.T': 'tslat',
    'BTC.NEW': 'btcnew',
  };
  for (const [code, symbol] of Object.entries(symbols)) {
    assert.equal(krakenSymbol(code), symbol, code);
  }
});

it('fiat money and credits of Kraken are not crypto', () => {
  const money = [
    'ZUSD',
    'USD',
    'USD.HOLD',
    'USD.M',
    'EUR',
    'ZEUR',
    'EUR.HOLD',
    'CHF',
    'ZGBP',
    'ZJPY',
    'ZCAD',
    'ZAUD',
    'KFEE',
  ];
  for (const code of money) assert.equal(krakenSymbol(code), null, code);
});

it('symbols that differ from their asset codes have an id', () => {
  for (const code of ['XXBT', 'XETH', 'XXDG', 'LUNA', 'LUNA2', 'UST', 'XMLN', 'REPV2', 'XZEC']) {
    assert.notEqual(coingeckoIdOf(krakenSymbol(code) ?? ''), null, code);
  }
});
