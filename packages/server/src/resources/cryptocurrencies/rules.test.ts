import assert from 'node:assert/strict';
import { test } from 'node:test';
import { catalogue, firstAddedId } from './catalogue.ts';
import { coingeckoIdIn } from './rules.ts';

test('the id is taken from a page in any language', () => {
  for (const [url, id] of [
    ['https://www.coingecko.com/en/coins/cardano', 'cardano'],
    ['https://www.coingecko.com/zh-tw/coins/Bitcoin/', 'bitcoin'],
    ['http://coingecko.com/coins/0x?utm=1#about', '0x'],
    ['https://WWW.coingecko.com/es-la/coins/btc.b-x/historical_data', 'btc.b-x'],
  ] as const)
    assert.equal(coingeckoIdIn(url), id, url);
});

test('other URLs have no id', () => {
  for (const url of [
    '',
    'cardano',
    'https://www.coingecko.com/en/coins/',
    'https://www.coingecko.com/en/exchanges/kraken',
    'https://www.coingecko.com.evil.example/en/coins/cardano',
    'https://www.coingecko.com:8443/en/coins/cardano',
    'https://evil.example/www.coingecko.com/en/coins/cardano',
    'https://www.coingecko.com/en/coins/a%2Fb',
    'ftp://www.coingecko.com/en/coins/cardano',
    `https://www.coingecko.com/en/coins/${'a'.repeat(101)}`,
  ])
    assert.equal(coingeckoIdIn(url), null, url);
});

test('the catalogue has about 150 entries, in the order of their ids, each with its own texts', () => {
  assert.ok(catalogue.length > 140);
  const ids = catalogue.map(({ id }) => id);
  assert.deepEqual(
    ids,
    ids.toSorted((a, b) => a - b),
  );
  assert.ok(ids[0] === 1 && ids.at(-1)! < firstAddedId);
  for (const key of ['id', 'coingecko_id', 'symbol', 'full_name'] as const)
    assert.equal(new Set(catalogue.map((each) => each[key])).size, catalogue.length, key);
  for (const { symbol, coingecko_id } of catalogue)
    assert.match(`${symbol} ${coingecko_id}`, /^[a-z0-9]{1,25} [a-z0-9-]{1,100}$/);
});
