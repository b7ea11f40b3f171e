import assert from 'node:assert/strict';
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { after, before, beforeEach, describe, it, mock } from 'node:test';
import { readCoinbaseHoldings } from '../sync/crypto/coinbase.ts';
import type { WayOut } from './bounded-fetch.ts';
import { readEthereumHoldings } from '../sync/crypto/ethereum.ts';
import { chosenTargets } from './guarded-request.ts';
import { readKrakenHoldings } from '../sync/crypto/kraken.ts';
import { createAssetSource } from '../sync/prices/asset-source.ts';
import { readRatesFile } from '../ledger/rerate.ts';
import { claimAccess, readSimplefin } from '../sync/banks/simplefin.ts';
import { exampleCoinbaseCredentials } from '../sync/testing/example-credentials.ts';
import { loopbackTargets } from '../webhooks/testing/receiver.ts';

/** Does what a name with several meanings does: the addresses of the next look-up. */
let means: readonly string[] = [];
let lookups = 0;

type Callback = (error: Error | null, addresses: dns.LookupAddress[]) => void;

const nowMs = Date.parse('2026-03-20T12:00:00.000Z');
const { credentials: coinbase } = exampleCoinbaseCredentials();
const range = { from: '2026-03-01', to: '2026-03-02' };

/** All requests to addresses that users or settings name; webhooks have a suite of their own. */
const requests: Readonly<Record<string, (host: string, way: WayOut) => Promise<unknown>>> = {
  'the claim at a bridge': (host, way) =>
    claimAccess(Buffer.from(`https://${host}/claim/1`).toString('base64'), way),
  'a reading of a bridge': (host, way) =>
    readSimplefin({ accessUrl: `https://a:b@${host}/x`, range, nowMs, ...way }),
  Kraken: (host, way) =>
    readKrakenHoldings({ url: `http://${host}`, apiKey: 'a', privateKey: 'b', nonce: 1n, ...way }),
  Coinbase: (host, way) =>
    readCoinbaseHoldings({ url: `http://${host}`, ...coinbase, now: () => nowMs, ...way }),
  'an Ethereum node': (host, way) =>
    readEthereumHoldings({ rpcUrl: `http://${host}`, address: `0x${'0'.repeat(40)}`, ...way }),
  prices: (host, { signal, privateTargets }) =>
    createAssetSource({
      pricesUrl: `http://${host}`,
      ...(privateTargets && { privateTargets }),
    }).prices(['bitcoin'], 'usd', signal),
  'an asset': (host, { privateTargets }) =>
    createAssetSource({
      pricesUrl: `http://${host}`,
      ...(privateTargets && { privateTargets }),
    }).find('bitcoin'),
  'exchange rates': (host, way) => readRatesFile(`http://${host}/rates.csv`, way),
};

describe('a public name that leads into a private network', () => {
  let connections = 0;
  const server = createServer((socket: Socket) => {
    connections += 1;
    socket.destroy();
  });
  let port: number;
  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    ({ port } = server.address() as AddressInfo);
    mock.method(dns, 'lookup', (_host: string, _options: object, callback: Callback) => {
      lookups += 1;
      const familyOf = (address: string) => (address.includes(':') ? 6 : 4);
      callback(
        null,
        means.map((address) => ({ address, family: familyOf(address) })),
      );
    });
    syncBuiltinESMExports();
  });
  after(() => {
    mock.restoreAll();
    syncBuiltinESMExports();
    server.close();
  });
  beforeEach(() => {
    connections = 0;
    lookups = 0;
  });
  const signal = AbortSignal.timeout(60_000);
  const names = ['bank.example.com', 'localhost.example.com', '127.0.0.1.nip.example'];

  for (const [what, send] of Object.entries(requests))
    it(`is not connected to: ${what}`, async () => {
      const addresses = [['127.0.0.1'], ['203.0.113.9', '127.0.0.1'], ['::ffff:127.0.0.1']];
      for (const [at, name] of names.entries()) {
        means = addresses[at]!;
        const refused = { reason: 'unreachable', message: /is in a private network/ };
        await assert.rejects(send(`${name}:${port}`, { signal }), refused, name);
      }
      assert.deepEqual([connections, lookups], [0, names.length]);
      means = ['127.0.0.1'];
      const listed = { signal, privateTargets: loopbackTargets };
      await assert.rejects(send(`${names[0]}:${port}`, listed), { message: /ECONNRESET|reached/ });
      assert.equal(connections, 1, 'a network that is listed');
    });

  it('is meant by a private address and a local name, and not by another one', () => {
    const isMeant = (host: string) => chosenTargets(new URL(`http://${host}/`)).allows('10.0.0.1');
    for (const host of ['127.0.0.1', '10.1.2.3', '[::1]', 'localhost', 'geth', 'node.local'])
      assert.ok(isMeant(host), host);
    for (const host of ['8.8.8.8', 'localhost.example.com', 'a.b', '[2606:4700::1]'])
      assert.ok(!isMeant(host), host);
  });
});
