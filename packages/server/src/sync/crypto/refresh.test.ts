import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { takeLease } from '../../book/leases.ts';
import { updateUnlogged } from '../../book/unlogged.ts';
import type { Engine } from '../../db/engine.ts';
import { DatabaseError, isDatabaseError } from '../../db/errors.ts';
import { find, select } from '../../db/rows.ts';
import { books, leases } from '../../db/tables/tables.ts';
import { usualEngines } from '../../db/testing/engines.ts';
import { recordingEngine } from '../../db/testing/recording-engine.ts';
import { newBook } from '../../identity/users/testing/new-book.ts';
import type { Book } from '../../operations/caller.ts';
import { sealCredentials } from '../../outside/credentials.ts';
import type { Fault } from '../testing/provider-server.ts';
import { credentials, encryptionKey, failureOf, priceIso, startScene } from '../testing/scene.ts';
import type { Scene } from '../testing/scene.ts';
import {
  leaseName,
  linkCryptoAccount,
  listAccounts,
  unlinkCryptoAccount,
  refreshAccount,
} from './actions.ts';
import type { CryptoReader } from './reader.ts';
import type { CryptoProvider } from './rules.ts';

interface CountingEngine extends Engine {
  writes: number;
  /** Returns the error of a write by its number, from 1. */
  fault: ((write: number) => Error | undefined) | undefined;
}

function countingEngine(engine: Engine): CountingEngine {
  const counting: CountingEngine = {
    ...recordingEngine(engine),
    writes: 0,
    fault: undefined,
    write: (steps, options) => {
      counting.writes += 1;
      const fault = counting.fault?.(counting.writes);
      return fault ? Promise.reject(fault) : engine.write(steps, options);
    },
  };
  return counting;
}

for (const kind of usualEngines)
  describe(`a refresh on ${kind.name}`, { skip: kind.skip }, () => {
    let scene: Scene;
    let nodes: CountingEngine[];
    /** The reader of all nodes; time advances with each reading. */
    let reader: CryptoReader;
    /** The number of readings now, and the largest number at the same time. */
    let [running, most] = [0, 0];
    let nowMs = Date.parse('2026-11-21T10:00:00.000Z');
    let book: Book;
    let id: number;
    let kraken: Scene['servers']['kraken'];

    before(async () => {
      scene = await startScene();
      ({ kraken } = scene.servers);
      const clock = () => nowMs;
      nodes = (await kind.openNodes([clock, clock])).map((engine) => countingEngine(engine));
      const inner = scene.reader({ now: () => (nowMs += 1) });
      reader = {
        async read(request) {
          running += 1;
          most = Math.max(most, running);
          return inner.read(request).finally(() => (running -= 1));
        },
      };
    });
    after(() => scene.close());
    beforeEach(async () => {
      scene.warnings.length = 0;
      await kraken.fail(null);
      book = await newBook(nodes[0]!);
      id = await link('kraken');
      for (const node of nodes) node.writes = 0;
    });

    const link = (provider: CryptoProvider, bookId = book.id) => {
      const sealed_credentials = sealCredentials(encryptionKey, bookId, credentials[provider]);
      const account = { provider, display_name: null, sealed_credentials };
      return linkCryptoAccount(nodes[0]!, bookId, account);
    };
    const refresh = (node = 0, more: { id?: number; book?: Book; reader?: CryptoReader } = {}) => {
      const cause = { bookId: (more.book ?? book).id, actor: 'connector', operation: 'refresh' };
      return refreshAccount({ engine: nodes[node]!, reader, book, id, cause, ...more });
    };
    const stored = async (node = 0) =>
      text((await nodes[node]!.read(() => listAccounts(book.id))).find((each) => each.id === id));
    const version = async () => (await nodes[0]!.read(() => find(books, { id: book.id })))!.version;
    const leaseOf = () => nodes[0]!.read(() => find(leases, { name: leaseName(book.id, id) }));
    /** Starts a refresh whose provider has the request and has not responded yet. */
    const held = async (node = 0) => {
      const count = kraken.calls.length;
      const release = kraken.hold();
      const refreshed = refresh(node);
      refreshed.catch(() => undefined);
      await kraken.arrived(count + 1);
      return { refreshed, release };
    };
    const hasTried = async (node: number, writes: number) => {
      while (nodes[node]!.writes < writes) await new Promise((resolve) => setImmediate(resolve));
    };

    it('stores the balances with their values and makes the account active, in one version', async () => {
      const before = await version();
      const account = await refresh();
      const { created_at, updated_at, last_import: readAt } = account!;
      assert.ok(readAt !== null && readAt >= created_at && updated_at >= readAt);
      const times = { balance_as_of: readAt, updated_at: readAt, display_name: null };
      const btc = { coingecko_id: 'bitcoin', to_base: 32_500.05, exchange_rate_as_of: priceIso };
      const unknown = { coingecko_id: null, to_base: null, exchange_rate_as_of: null };
      const balances = [
        { name: 'BTC', symbol: 'btc', balance: '0.500000000000000000', ...times, ...btc },
        { name: 'NEW', symbol: 'new', balance: '3.000000000000000000', ...times, ...unknown },
      ];
      assert.deepEqual(JSON.parse(text(account)), {
        id,
        provider: 'kraken',
        status: 'active',
        created_by_name: 'Someone',
        created_at,
        updated_at,
        last_import: readAt,
        display_name: null,
        balances,
      });
      for (const node of [0, 1]) assert.equal(await stored(node), text(account));
      assert.equal(await version(), before + 1);
      assert.deepEqual(scene.warnings, []);
      assert.equal((await leaseOf())?.expires_at_ms, 0);
    });

    it('is null for an account that was deleted meanwhile, whatever its provider returns', async () => {
      for (const fault of [null, 'reset', { status: 401 }] as const) {
        id = await link('kraken');
        await kraken.fail(fault);
        const { refreshed, release } = await held();
        assert.equal(await unlinkCryptoAccount(nodes[1]!, book.id, id), true);
        const before = await version();
        release();
        assert.equal(await refreshed, null);
        assert.equal(await version(), before);
        assert.equal(await leaseOf(), undefined);
      }
      const left = await nodes[0]!.read(() => select(leases, {}));
      assert.ok(left.every((lease) => lease.expires_at_ms === 0));
    });

    it('shares one reading within a process, and a failure too; the next one reads again', async () => {
      const before = kraken.calls.length;
      const { refreshed, release } = await held();
      const others = Array.from({ length: 50 }, () => refresh());
      others.push(refresh(0, { book: { ...book } }));
      release();
      for (const other of await Promise.all(others)) assert.equal(other, await refreshed);
      assert.equal(kraken.calls.length, before + 1);
      await kraken.fail({ status: 503 });
      const errors = await Promise.all(Array.from({ length: 10 }, () => failureOf(refresh())));
      assert.equal(new Set(errors).size, 1);
      assert.equal(kraken.calls.length, before + 2);
      await kraken.fail(null);
      assert.equal((await refresh())?.status, 'active');
      assert.equal(kraken.calls.length, before + 3);
    });

    it('shares nothing between accounts or books', async () => {
      const { ethereum } = scene.servers;
      const other = { ...(await newBook(nodes[0]!)), primaryCurrency: 'eur' };
      const ids = [await link('ethereum'), await link('ethereum')];
      ids.push(await link('ethereum', other.id));
      const before = ethereum.calls.length;
      const [one, second, foreign] = await Promise.all([
        refresh(0, { id: ids[0]! }),
        refresh(0, { id: ids[1]! }),
        refresh(0, { id: ids[2]!, book: other }),
      ]);
      assert.equal(ethereum.calls.length, before + 3);
      assert.deepEqual([one?.id, second?.id, foreign?.id], ids);
      assert.equal(text(one?.balances[0]?.to_base), '3000.0000');
      // The price source has no price in euros.
      assert.equal(foreign?.balances[0]?.to_base, null);
    });

    /** A refresh of one node that waits for that of the other, which then continues. */
    const waited = async () => {
      const { refreshed, release } = await held(0);
      const waiting = refresh(1);
      waiting.catch(() => undefined);
      await hasTried(1, 2);
      release();
      return { refreshed, waiting };
    };

    it('waits for the refresh of another node, and returns what it stored', async () => {
      const before = kraken.calls.length;
      const { refreshed, waiting } = await waited();
      assert.equal(text(await waiting), text(await refreshed));
      assert.equal(kraken.calls.length, before + 1);
    });

    it('reads itself when the refresh of another node failed', async () => {
      await kraken.fail({ status: 500 });
      const { refreshed, waiting } = await waited();
      await failureOf(refreshed);
      await kraken.fail(null);
      assert.equal((await waiting)?.status, 'active');
    });

    it('runs one at a time on all nodes, with an ever higher nonce', async () => {
      const [before, calls] = [kraken.nonces.length, kraken.calls.length];
      most = 0;
      for (let round = 0; round < 5; round += 1) {
        await Promise.all([refresh(0), refresh(1)]);
        await refresh(round % 2);
      }
      assert.equal(most, 1);
      const nonces = kraken.nonces.slice(before);
      assert.ok(nonces.length >= 10);
      assert.equal(nonces.length, kraken.calls.length - calls, 'each was accepted');
      for (const [at, nonce] of nonces.entries()) assert.ok(at === 0 || nonce > nonces[at - 1]!);
    });

    it('stores nothing when its lease was taken over, not even a status', async () => {
      for (const fault of [null, { status: 401 }] as const) {
        const { refreshed, release } = await held(0);
        const expired = { expires_at_ms: 0 };
        await nodes[0]!.write(() =>
          updateUnlogged(leases, { name: leaseName(book.id, id) }, expired),
        );
        kraken.hold()();
        const account = await refresh(1);
        const before = await version();
        kraken.setBalances({ XXBT: '9' });
        await kraken.fail(fault);
        release();
        if (fault === null) assert.equal(text(await refreshed), text(account));
        else assert.equal((await failureOf(refreshed)).reason, 'refused');
        kraken.setBalances({ XXBT: '0.5', NEW: '3' });
        await kraken.fail(null);
        assert.equal(await stored(), text(account));
        assert.equal(await version(), before);
      }
    });

    it('that fails keeps the balances, and sets the status of the connection', async () => {
      await kraken.fail({ status: 500 });
      await failureOf(refresh());
      assert.match(await stored(), /"initializing"/);
      const cases: [Fault, reason: string, status: string, times?: number][] = [
        ['down', 'unreachable', 'active'],
        [{ status: 429, retryAfter: '9' }, 'rateLimited', 'active'],
        [{ status: 401 }, 'refused', 'relink'],
        [{ text: 'x' }, 'nonsense', 'active', 2],
        [{ text: 'x' }, 'nonsense', 'active', 2],
        [{ text: 'x' }, 'nonsense', 'unsupported', 3],
      ];
      for (const [fault, reason, status, times = 1] of cases) {
        await kraken.fail(null);
        const good = await refresh();
        assert.equal(good?.status, 'active');
        await kraken.fail(fault);
        for (let at = 0; at < times; at += 1) {
          const error = await failureOf(refresh());
          assert.equal(error.reason, reason);
          assert.equal(error.retryAfterSeconds, reason === 'rateLimited' ? 9 : null);
        }
        const left = JSON.parse(await stored()) as { updated_at: string };
        const { updated_at } = left;
        assert.deepEqual(left, JSON.parse(text({ ...good, status, updated_at })));
        assert.equal(updated_at === good.updated_at, status === 'active');
      }
      await kraken.fail('reset');
      await failureOf(refresh());
      assert.match(await stored(), /"unsupported"/, 'a temporary failure changes no status');
      await kraken.fail(null);
      await refresh();
      for (const fault of ['reset', 'reset', { text: 'x' }] as const) {
        await kraken.fail(fault);
        await failureOf(refresh());
      }
      assert.match(await stored(), /"active"/, 'only nonsense is counted');
    });

    it('keeps the error of the provider, or that of the database, when it cannot be written', async () => {
      const fault = new DatabaseError('full', 'planted');
      nodes[0]!.fault = (write) => (write % 3 === 2 ? fault : undefined);
      await kraken.fail({ status: 401 });
      assert.equal((await failureOf(refresh())).reason, 'refused');
      await kraken.fail(null);
      await assert.rejects(refresh(), (error) => error === fault);
      nodes[0]!.fault = undefined;
      assert.match(await stored(), /"initializing"/);
      assert.equal((await refresh())?.status, 'active');
    });

    // The other engine needs timers itself.
    if (kind.name === 'SQLite')
      it('times out when another node holds the lease for too long', async (t) => {
        await nodes[1]!.write(() => takeLease(leaseName(book.id, id), 'elsewhere', 500_000));
        t.mock.timers.enable({ apis: ['setTimeout'] });
        let error: unknown;
        void refresh().catch((reason: unknown) => (error = reason));
        while (error === undefined) {
          await new Promise((resolve) => setImmediate(resolve));
          t.mock.timers.tick(50);
        }
        assert.ok(isDatabaseError(error, 'busy'));
        assert.ok(nodes[0]!.writes >= 300);
      });
  });

/** As in a response: JSON numbers can have more digits than a double holds. */
function text(value: unknown): string {
  return JSON.stringify(value);
}
