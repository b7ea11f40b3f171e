import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import sql from 'sql-template-tag';
import { authenticate } from '../identity/users/testing/authenticate.ts';
import { changing } from '../book/change.ts';
import { rows, run, type Engine, type Steps } from '../db/engine.ts';
import { select } from '../db/rows.ts';
import { tags } from '../db/tables/tables.ts';
import { engines } from '../db/testing/engines.ts';
import { createSession, identityOfSession } from '../identity/sessions/actions.ts';
import { createToken, newToken } from '../identity/users/actions.ts';
import { newBook } from '../identity/users/testing/new-book.ts';
import { Problem } from './problem.ts';
import { withValidCaller } from './caller.ts';

const times = { past: '2025-01-01T00:00:00.000Z', future: '2900-01-01T00:00:00.000Z' };

/** What ends the only session or token of a book. */
const cases: readonly (readonly [
  name: string,
  isValid: boolean,
  ends: Parameters<typeof run>[0],
])[] = [
  ['the session is removed', false, sql`DELETE FROM sessions`],
  ['the session has ended', false, sql`UPDATE sessions SET ends_at = ${times.past}`],
  ['the session was not used', false, sql`UPDATE sessions SET seen_at = ${times.past}`],
  ['the session is of another copy', false, sql`UPDATE sessions SET database_id = 'x'`],
  ['the token is revoked', false, sql`UPDATE access_tokens SET revoked_at = ${times.past}`],
  ['the token has expired', false, sql`UPDATE access_tokens SET expires_at = ${times.past}`],
  ['the token expires later', true, sql`UPDATE access_tokens SET expires_at = ${times.future}`],
  ['the session was used', true, sql`UPDATE sessions SET seen_at = ${times.future}`],
];

for (const { name, skip, openNodes } of engines)
  describe(`a change by a caller on ${name}`, { skip }, () => {
    const now = () => Date.parse('2026-01-01T00:00:00.000Z');
    const begin = async (engine: Engine, isByToken: boolean) => {
      const { id: bookId, userId } = await newBook(engine);
      const { hash } = newToken();
      const identity = await engine.write(function* () {
        if (isByToken) {
          yield* createToken({ userId, bookId, hash, label: null, expiresAt: null });
          return (yield* authenticate(hash))!;
        }
        const browser = { method: 'link', userAgent: null, replaces: null } as const;
        const secret = yield* createSession({ userId, bookId, ...browser });
        return (yield* identityOfSession(secret.hash, bookId))!;
      });
      const cause = { bookId, actor: 'test', operation: 'test' };
      const change = (meanwhile: () => Steps<void>, isOver = false) =>
        withValidCaller(engine, identity, () => isOver).write(() =>
          changing(cause, function* (each) {
            yield* each.insert(tags, { name: 'new' });
            yield* meanwhile();
          }),
        );
      const count = () =>
        engine.read(function* () {
          return (yield* select(tags, { book_id: bookId })).length;
        });
      return { change, count };
    };

    it('is stored only if the session or the token is valid at its end', async () => {
      const [engine] = (await openNodes([now])) as [Engine];
      for (const [what, isValid, ends] of cases) {
        const { change, count } = await begin(engine, what.includes('token'));
        const changed = change(() => run(ends));
        if (isValid) await changed;
        else await assert.rejects(changed, Problem, what);
        assert.equal(await count(), isValid ? 1 : 0, what);
        await change(() => run(ends), true);
      }
    });

    it('does not hold up who ends the session', async () => {
      if (name === 'SQLite') return;
      const [engine, other] = (await openNodes([now, now])) as [Engine, Engine];
      const { change, count } = await begin(engine, false);
      const changed = change(function* () {
        while ((yield* rows(sql`SELECT id FROM sessions`)).length > 0)
          yield* run(sql`SELECT pg_sleep(0.005)`);
      });
      await Promise.all([
        assert.rejects(changed, Problem),
        other.write(() => run(sql`DELETE FROM sessions`)),
      ]);
      assert.equal(await count(), 0);
    });
  });
