import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, beforeEach, describe, it, mock } from 'node:test';
import { inspect } from 'node:util';
import { createCryptoRefresher } from './refresh.ts';
import type { ProviderSettings } from './refresh.ts';
import { sealCredentials } from './sealed-credentials.ts';
import type { Fault } from './testing/provider-server.ts';
import {
  book,
  coinbase,
  failureOf,
  ids,
  key,
  kraken,
  startScene,
} from './testing/refresh-scene.ts';
import type { Scene } from './testing/refresh-scene.ts';

describe('a refresh that meets a fault', () => {
  let scene: Scene;
  before(async () => {
    scene = await startScene();
  });
  after(() => scene.close());
  beforeEach(() => scene.reset());

  it('that fails leaves the balances, and says what it means for the connection', async () => {
    const cases: [Fault, string, string][] = [
      ['down', 'unreachable', 'active'],
      [{ status: 500 }, 'unreachable', 'active'],
      [{ status: 429, retryAfter: '9' }, 'rateLimited', 'active'],
      [{ status: 401 }, 'refused', 'relink'],
      ['html', 'nonsense', 'unsupported'],
    ];
    const shared = scene.refresher();
    for (const [fault, reason, status] of cases) {
      await scene.servers.kraken.fail(null);
      const good = await shared.refresh(book, ids.kraken);
      assert.equal(good?.status, 'active');
      await scene.servers.kraken.fail(fault);
      const error = await failureOf(shared.refresh(book, ids.kraken));
      assert.equal(error.reason, reason);
      assert.equal(error.retryAfterSeconds, reason === 'rateLimited' ? 9 : null);
      const left = scene.store.get(book.id, ids.kraken);
      assert.equal(left?.status, status);
      assert.deepEqual(left.balances, good.balances);
      assert.equal(left.lastImportIso, good.lastImportIso);
    }
    await scene.servers.kraken.fail(null);
  });

  it('that fails in passing leaves every status as it was', async () => {
    const shared = scene.refresher();
    await scene.servers.kraken.fail({ status: 500 });
    await failureOf(shared.refresh(book, ids.kraken));
    assert.equal(scene.store.get(book.id, ids.kraken)?.status, 'initializing');
    await scene.servers.kraken.fail({ status: 403 });
    await failureOf(shared.refresh(book, ids.kraken));
    await scene.servers.kraken.fail('reset');
    await failureOf(shared.refresh(book, ids.kraken));
    assert.equal(scene.store.get(book.id, ids.kraken)?.status, 'relink');
    await scene.servers.kraken.fail(null);
    assert.equal((await shared.refresh(book, ids.kraken))?.status, 'active');
  });

  it('ends in time when the provider is slow, and gives it 5 seconds', async () => {
    await scene.servers.kraken.fail('slowBody');
    const slow = scene.refresher({ timeoutMs: 80 }).refresh(book, ids.kraken);
    assert.equal((await failureOf(slow)).reason, 'timeout');
    await scene.servers.kraken.fail(null);
    const timeout = mock.method(AbortSignal, 'timeout');
    await createCryptoRefresher({ store: scene.store, providers: scene.settings }).refresh(
      book,
      ids.ethereum,
    );
    timeout.mock.restore();
    assert.deepEqual(
      timeout.mock.calls.map((call) => call.arguments),
      [[5000], [5000]],
    );
  });

  it('keeps the error of the provider when the status cannot be written', async () => {
    scene.store.statusFault = new Error('disk full');
    await scene.servers.kraken.fail({ status: 401 });
    const error = await failureOf(scene.refresher().refresh(book, ids.kraken));
    assert.equal(error.reason, 'refused');
    await scene.servers.kraken.fail(null);
    assert.deepEqual(scene.warnings, [
      {
        details: { err: scene.store.statusFault, cryptoId: ids.kraken },
        message: 'The status of a crypto account could not be noted',
      },
    ]);
  });

  it('succeeds without prices when their source is down, slow or strange', async () => {
    const faults: [Fault, string][] = [
      ['down', 'unreachable'],
      [{ status: 429 }, 'rateLimited'],
      ['html', 'nonsense'],
      ['endless', 'nonsense'],
      ['slowHeader', 'timeout'],
      ['slowBody', 'timeout'],
    ];
    const timeoutOf = AbortSignal.timeout.bind(AbortSignal);
    for (const [fault, reason] of faults) {
      await scene.servers.prices.fail(fault);
      // The provider comes first and has plenty of time, and the price source has little when it is slow.
      const timesMs = [20_000, reason === 'timeout' ? 80 : 20_000];
      const timeout = mock.method(AbortSignal, 'timeout', () => timeoutOf(timesMs.shift()!));
      const account = await scene.refresher().refresh(book, ids.ethereum);
      timeout.mock.restore();
      await scene.servers.prices.fail(null);
      assert.equal(account?.status, 'active');
      const worths = account.balances.map(({ toBase, priceAsOfIso }) => [toBase, priceAsOfIso]);
      assert.deepEqual(worths, [[null, null]]);
      assert.equal((scene.warnings.at(-1)?.details as { reason: string }).reason, reason);
    }
  });

  it('is unconfigured without a node, without a key, and under another key', async () => {
    const calls = () => scene.servers.kraken.calls.length + scene.servers.ethereum.calls.length;
    const before = calls();
    const cases: [Partial<ProviderSettings>, number, RegExp][] = [
      [{ ethereumRpcUrl: null }, ids.ethereum, /Ethereum node/],
      [{ encryptionKey: null }, ids.kraken, /no encryption key/],
      [{ encryptionKey: randomBytes(32) }, ids.kraken, /another encryption key/],
    ];
    for (const [change, id, message] of cases) {
      const providers = { ...scene.settings, ...change };
      const error = await failureOf(scene.refresher({ providers }).refresh(book, id));
      assert.equal(error.reason, 'unconfigured');
      assert.match(error.message, message);
      assert.equal(scene.store.get(book.id, id)?.status, 'initializing');
    }
    assert.equal(calls(), before);
  });

  it('does not open what was sealed for another book', async () => {
    const sealedCredentials = sealCredentials(key, 8, kraken);
    scene.store.add(book.id, 50, {
      provider: 'kraken',
      displayName: null,
      sealedCredentials,
      nowIso: '',
    });
    const error = await failureOf(scene.refresher().refresh(book, 50));
    assert.equal(error.reason, 'unconfigured');
    assert.match(error.message, /damaged/);
  });

  it('lets faults of the store through as they are', async () => {
    const fault = new Error('disk full');
    const broken = mock.method(scene.store, 'saveCryptoReading', () => Promise.reject(fault));
    await assert.rejects(scene.refresher().refresh(book, ids.ethereum), (error) => error === fault);
    broken.mock.restore();
    assert.equal(scene.store.get(book.id, ids.ethereum)?.status, 'initializing');
    assert.equal((await scene.refresher().refresh(book, ids.ethereum))?.status, 'active');
  });

  it('has no secret in any error or warning, whatever goes wrong', async () => {
    const canary = 'canary-in-an-address';
    const base = (url: string) => `${url}/${canary}?key=${canary}`;
    const providers = {
      encryptionKey: key,
      ethereumRpcUrl: base(scene.servers.ethereum.url),
      krakenUrl: base(scene.servers.kraken.url),
      coinbaseUrl: base(scene.servers.coinbase.url),
      pricesUrl: base(scene.servers.prices.url),
    };
    const { privateKey } = coinbase;
    const secrets = [canary, kraken.apiKey, kraken.privateKey, privateKey.split('\n')[1]!];
    secrets.push(key.toString('hex'), key.toString('base64'));
    const shared = scene.refresher({ providers });
    const servers = {
      kraken: scene.servers.kraken,
      coinbase: scene.servers.coinbase,
      ethereum: scene.servers.ethereum,
    };
    const faults: Fault[] = ['down', 'reset', 'html', 'notHttp', { status: 401 }, { status: 500 }];
    await scene.servers.prices.fail('reset');
    scene.store.statusFault = new Error('disk full');
    for (const [name, server] of Object.entries(servers)) {
      for (const fault of [...faults, { json: { error: [kraken.apiKey] } }]) {
        await server.fail(fault);
        const error = await failureOf(shared.refresh(book, ids[name as keyof typeof ids]));
        const printed = inspect([error, scene.warnings], { depth: 9, showHidden: true });
        for (const secret of secrets) assert.ok(!printed.includes(secret), printed);
      }
      await server.fail(null);
    }
    await shared.refresh(book, ids.ethereum);
    await scene.servers.prices.fail(null);
    assert.ok(scene.warnings.length > 0);
    const printed = inspect(scene.warnings, { depth: 9, showHidden: true });
    for (const secret of secrets) assert.ok(!printed.includes(secret), printed);
  });
});
