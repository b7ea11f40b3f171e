import { createLink, createSession } from './identity/sessions/actions.ts';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { instantOf } from '@coffer/core/dates';
import sql, { raw } from 'sql-template-tag';
import { keepResponse } from './book/idempotency.ts';
import { takeLease } from './book/leases.ts';
import { insertUnlogged } from './book/unlogged.ts';
import { row, run, type Engine } from './db/engine.ts';
import { books, accessTokens, serverTables, webhooks } from './db/tables/tables.ts';
import { engines } from './db/testing/engines.ts';
import { createChallenge } from './identity/passkeys/actions.ts';
import { countAttempt } from './identity/sessions/passwords.ts';
import { newBook } from './identity/users/testing/new-book.ts';
import { createPreview } from './imports/operations/preview-records.ts';
import { storedTimes, storedTimesJob } from './stored-times-job.ts';
import { rememberPrices } from './sync/prices/actions.ts';

const nowMs = Date.now();
const yearMs = 365 * 86_400_000;

/** Stores a row in each table. */
async function fill(engine: Engine): Promise<void> {
  const book = await newBook(engine);
  const { id: bookId, userId } = book;
  const text = { bookId, actor: 'test', fileName: null, hash: 'x', bytes: 1, options: {} };
  const request = { bookId, callerId: 1, operation: 'x', key: 'x', fingerprint: 'x' };
  const created_at = instantOf(nowMs);
  await engine.write(function* () {
    const browser = { method: 'link', userAgent: null, replaces: null } as const;
    yield* createSession({ userId, bookId, ...browser });
    yield* createLink(book);
    yield* createChallenge(null);
    yield* countAttempt({ email: 'a@example.com', source: '::1', device: null });
    yield* createPreview({ ...text, nowMs, workerUntilMs: nowMs });
    yield* rememberPrices('usd', [{ coingecko_id: 'x', price: '1', as_of: created_at }]);
    yield* takeLease('x', 'x', 1);
    yield* keepResponse(request, { status: 200, body: null });
    yield* insertUnlogged(webhooks, {
      book_id: bookId,
      url: 'https://example.com',
      sealed_secret: Buffer.of(1),
      database_id: 'x',
      cursor_version: 1,
      cursor_place: 0,
      cursor_id: 0,
      created_by: 'x',
      created_at,
      updated_at: created_at,
    });
  });
}

for (const { name, skip, open } of engines)
  describe(`stored times on ${name}`, { skip }, () => {
    it('that are too far ahead become the longest, and others stay', async () => {
      const engine = await open(() => nowMs);
      await fill(engine);
      for (const { table, column, longestMs } of storedTimes) {
        const isText = table.columns[column]!.type === 'text';
        const at = (ms: number) => (isText ? instantOf(nowMs + ms) : nowMs + ms);
        const after = async (stored: string | number): Promise<number> => {
          const [of, set] = [raw(table.name), raw(column)];
          await engine.write(() => run(sql`UPDATE ${of} SET ${set} = ${stored}`));
          await storedTimesJob.run(engine, nowMs, new AbortController().signal);
          const found = await engine.read(() =>
            row<Record<string, string | number>>(sql`SELECT ${set} AS value FROM ${of}`),
          );
          const value = found!['value']!;
          return (typeof value === 'string' && isText ? Date.parse(value) : Number(value)) - nowMs;
        };
        const what = `${table.name}.${column}`;
        const shortened = await after(at(longestMs + yearMs));
        // The clock of the database goes on.
        assert.ok(
          shortened >= longestMs && shortened < longestMs + 600_000,
          `${what} ${shortened}`,
        );
        assert.equal(await after(at(longestMs + 30_000)), longestMs + 30_000, what);
      }
    });
  });

describe('columns with times', () => {
  /** Why a time that is far ahead makes nobody wait. */
  const others: Readonly<Record<string, string>> = {
    'access_tokens.expires_at': 'the user chooses it',
    'access_tokens.last_used_at': 'is shown only',
    'sync_requests.requested_at_ms': 'requestSync and finishRequests look',
    'backup_results.at': 'is shown only',
    'job_runs.ran_at': 'the scheduler looks',
    'exchange_rates.read_at': 'is shown only',
    'imports.at': 'is shown only',
    'webhook_attempts.at': 'is shown only',
    'webhook_attempts.duration_ms': 'is no time',
  };

  it('are all known', () => {
    const known = new Set(storedTimes.map(({ table, column }) => `${table.name}.${column}`));
    const found = [...serverTables, books, accessTokens].flatMap((table) =>
      Object.keys(table.columns)
        .filter((column) => /(_ms|^as_of|_at|^at)$/.test(column))
        .filter(
          (column) =>
            !/^(created|updated|changed|used|disabled|delivered|revoked)_at$/.test(column),
        )
        .map((column) => `${table.name}.${column}`),
    );
    const unknown = found.filter((each) => !known.has(each) && !(each in others));
    assert.deepEqual(unknown, []);
  });
});
