import assert from 'node:assert/strict';
import { before, describe, it, mock } from 'node:test';
import type { Engine } from '../db/engine.ts';
import { find } from '../db/rows.ts';
import type { Row } from '../db/table.ts';
import { sessions, tags } from '../db/tables/tables.ts';
import { engines } from '../db/testing/engines.ts';
import { recordingEngine, type RecordingEngine } from '../db/testing/recording-engine.ts';
import { ManualJobClock } from '../jobs/testing/manual-job-clock.ts';
import { createSession, endSession } from '../identity/sessions/actions.ts';
import { createToken, revokeToken, newToken } from '../identity/users/actions.ts';
import { removeUser } from '../maintenance/user-removal.ts';
import type { Book } from '../operations/caller.ts';
import { newBook } from '../identity/users/testing/new-book.ts';
import { changing } from './change.ts';
import { updateUnlogged } from './unlogged.ts';
import { BookWatch, watched, type Outcome } from './watch.ts';

const startMs = Date.parse('2026-01-01T00:00:00.000Z');
const never = new AbortController().signal;

for (const { name, skip, open } of engines)
  describe(`waiting for changes on ${name}`, { skip }, () => {
    let other: Engine;
    let engine: RecordingEngine;
    let clock: ManualJobClock;
    let watch: BookWatch;
    let pending: number;
    before(async () => {
      other = await open(() => startMs);
    });

    const begin = (): void => {
      engine = recordingEngine(other);
      clock = new ManualJobClock(startMs);
      watch = new BookWatch(engine, clock);
      pending = 0;
    };
    /** Lets others continue until the watch sleeps, or nobody waits. */
    const settle = async (): Promise<void> => {
      while (pending > 0 && clock.sleeping === 0)
        await new Promise((resolve) => setImmediate(resolve));
    };
    const tokensOf = ({ id: bookId, userId }: Book, count: number, expiresAt: string | null) =>
      other.write(function* () {
        const ids: number[] = [];
        for (let made = 0; made < count; made += 1) {
          const { hash } = newToken();
          ids.push(yield* createToken({ userId, bookId, hash, label: null, expiresAt }));
        }
        return ids;
      });
    const tokenOf = async (book: Book, expiresAt: string | null = null) =>
      (await tokensOf(book, 1, expiresAt))[0]!;
    const change = (on: Engine, { id: bookId }: Book) =>
      on.write(() =>
        changing({ bookId, actor: 'command', operation: 'test' }, (each) =>
          each.insert(tags, { name: `tag ${Math.random()}` }),
        ),
      );
    const waiting = (callerId: number, { untilMs = startMs + 60_000, signal = never } = {}) => {
      const seen: { outcome?: Outcome } = {};
      const end = watch.wait({ callerId, version: 1, untilMs, signal });
      pending += 1;
      void end.then((outcome) => {
        pending -= 1;
        seen.outcome = outcome;
      });
      return { seen, end };
    };
    const pass = async (ms: number): Promise<void> => {
      await settle();
      clock.advance(ms);
      await settle();
    };

    it('ends by a change of another node within 250 ms, and by one of this node after 10 ms', async () => {
      begin();
      const [book, quiet] = [await newBook(other), await newBook(other)];
      const [token, silent] = [await tokenOf(book), await tokenOf(quiet)];
      const [one, two] = [waiting(token), waiting(silent)];
      await pass(10);
      await change(other, book);
      await pass(239);
      assert.deepEqual(one.seen, {});
      await pass(1);
      assert.equal(await one.end, 'changed');
      await pass(10);
      await change(watched(other, watch), quiet);
      assert.equal(await two.end, 'changed');
      const looks = engine.recorded.length;
      await pass(1000);
      await pass(1000);
      assert.equal(engine.recorded.length, looks, 'nothing is read while nobody waits');
    });

    it('ends by time, by the caller, by a revoked or expired token, by a deleted book, and by the server', async () => {
      begin();
      const book = await newBook(other);
      const gone = await newBook(other);
      const caller = new AbortController();
      const revoked = await tokenOf(book);
      const expired = await tokenOf(book, new Date(startMs - 1).toISOString());
      const late = waiting(await tokenOf(book), { untilMs: startMs + 200 });
      const left = waiting(await tokenOf(book), { signal: caller.signal });
      const refused = [revoked, expired, await tokenOf(gone)].map((token) => waiting(token));
      const last = waiting(await tokenOf(book));
      await settle();
      caller.abort();
      assert.equal(await left.end, 'ended');
      await other.write(() => revokeToken(book.id, revoked));
      await removeUser(other, gone.userId, { files: null });
      await pass(10);
      await pass(240);
      const found = [await late.end, ...(await Promise.all(refused.map(({ end }) => end)))];
      assert.deepEqual(found, ['late', 'refused', 'refused', 'refused']);
      assert.deepEqual(last.seen, {});
      watch.stop();
      assert.deepEqual([await last.end, await waiting(revoked).end], ['ended', 'ended']);
    });

    it('ends for a session that was signed out, too old, not used for 30 days, or of another database', async () => {
      begin();
      const book = await newBook(other);
      const dayMs = 86_400_000;
      const atMs = (ms: number) => new Date(startMs + ms).toISOString();
      const sessionOf = async (changes: Partial<Row<typeof sessions>>) => {
        const of = {
          userId: book.userId,
          bookId: book.id,
          method: 'link',
          userAgent: null,
        } as const;
        const { hash } = await other.write(() => createSession({ ...of, replaces: null }));
        return other.write(function* () {
          const { id } = (yield* find(sessions, { secret_hash: hash }))!;
          yield* updateUnlogged(sessions, { id }, changes);
          return -id;
        });
      };
      const ended = [
        { ends_at: atMs(0) },
        { seen_at: atMs(-30 * dayMs) },
        { database_id: 'another' },
      ];
      const goesOn = waiting(await sessionOf({ seen_at: atMs(1 - 30 * dayMs) }));
      const out = await sessionOf({ seen_at: atMs(0) });
      const signedOut = waiting(out);
      const refused = await Promise.all(ended.map(async (each) => waiting(await sessionOf(each))));
      await other.write(() => endSession(book.userId, -out));
      await pass(10);
      await pass(240);
      for (const { seen } of [signedOut, ...refused]) assert.equal(seen.outcome, 'refused');
      assert.deepEqual(goesOn.seen, {});
      watch.stop();
    });

    it('reads two statements for the callers and one for their book with a thousand of them, and survives a database that fails', async () => {
      begin();
      const book = await newBook(other);
      const all = (await tokensOf(book, 1000, null)).map((token) => waiting(token));
      await pass(0);
      const before = engine.recorded.length;
      await pass(10);
      await pass(240);
      assert.equal(engine.recorded.length - before, 3);
      const failing = () => Promise.reject(new Error('The database failed'));
      const instead = mock.method(engine, 'readStatement', failing);
      await pass(10);
      await pass(240);
      assert.ok(all.every(({ seen }) => seen.outcome === undefined));
      instead.mock.restore();
      await change(other, book);
      await pass(10);
      await pass(240);
      assert.deepEqual(new Set(await Promise.all(all.map(({ end }) => end))), new Set(['changed']));
    });
  });
