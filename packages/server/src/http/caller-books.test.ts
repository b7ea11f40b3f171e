import assert from 'node:assert/strict';
import { it } from 'node:test';
import { usualEngines } from '../db/testing/engines.ts';
import { recordingEngine } from '../db/testing/recording-engine.ts';
import { CallerBooks } from './identify.ts';
import { createSession, endSession } from '../identity/sessions/actions.ts';
import { createToken, newToken, revokeToken, sha256 } from '../identity/users/actions.ts';
import { newBook } from '../identity/users/testing/new-book.ts';

for (const { name, skip, open } of usualEngines)
  it(
    `a caller's book is looked up once, and whether the caller is valid each time, on ${name}`,
    { skip },
    async () => {
      const engine = recordingEngine(await open());
      const { id: bookId, userId } = await newBook(engine);
      const of = { userId, bookId };
      const { hash } = newToken();
      const token = await engine.write(() =>
        createToken({ ...of, hash, label: null, expiresAt: null }),
      );
      const browser = { method: 'link', userAgent: null, replaces: null } as const;
      const { hash: cookie } = await engine.write(() => createSession({ ...of, ...browser }));
      const callers = new CallerBooks(engine);
      /** Whether a caller is found, and by how many statements. */
      const statements = async (find: () => Promise<unknown>): Promise<string> => {
        const before = engine.recorded.length;
        return `${(await find()) !== null} ${engine.recorded.length - before}`;
      };
      const ofToken = () => callers.ofToken(hash);
      const ofSession = () => callers.ofSession(cookie);
      for (const find of [ofToken, ofSession])
        assert.deepEqual([await statements(find), await statements(find)], ['true 2', 'true 1']);
      assert.equal((await ofToken())?.book.id, bookId);
      const { id } = (await ofSession())!.session!;
      await engine.write(() => revokeToken(bookId, token));
      await engine.write(() => endSession(userId, id));
      const unknown = () => callers.ofToken(sha256('unknown'));
      for (const find of [ofToken, ofSession, unknown, unknown])
        assert.equal(await statements(find), 'false 1');
    },
  );
