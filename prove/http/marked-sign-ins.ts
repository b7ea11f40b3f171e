import { insertUnlogged } from '../../packages/server/src/changes/unlogged.ts';
import { accessTokens, passkeys, sessions } from '../../packages/server/src/db/tables.ts';
import { databaseId } from '../../packages/server/src/resources/sessions/actions.ts';
import { newSecret } from '../../packages/server/src/resources/sessions/secret.ts';
import type { Engine } from '../../packages/server/src/main.ts';
import type { Owner } from '../../test/service/owners.ts';

/** Sessions, passkeys and tokens of an owner by id, and the secret of one more session. */
export interface SignIns {
  readonly session: readonly number[];
  readonly passkey: readonly number[];
  readonly token: readonly number[];
  readonly cookie: string;
}

const count = 15;
const at = { created_at: '2026-01-01T00:00:00.000Z' };
const endless = { seen_at: '2900-01-01T00:00:00.000Z', ends_at: '2900-01-01T00:00:00.000Z' };

/** Adds sessions, passkeys and tokens with the mark in every text. No cookie or key for them exists, except one. */
export function addSignIns(engine: Engine, owner: Owner, mark: string): Promise<SignIns> {
  const of = { user_id: owner.userId };
  const book = { ...of, book_id: owner.bookId };
  const { text: cookie, hash: known } = newSecret(256);
  return engine.write(function* () {
    const database_id = yield* databaseId();
    const ids: Record<'session' | 'passkey' | 'token', number[]> = {
      session: [],
      passkey: [],
      token: [],
    };
    const common = {
      ...book,
      ...at,
      ...endless,
      database_id,
      method: 'password',
      user_agent: mark,
    } as const;
    yield* insertUnlogged(sessions, { ...common, secret_hash: known });
    for (let n = 0; n < count; n += 1) {
      const { hash } = newSecret(256);
      ids.session.push((yield* insertUnlogged(sessions, { ...common, secret_hash: hash })).id);
      const key = { credential_id: hash, public_key: hash, counter: 0, transports: '[]' };
      const passkey = { ...of, ...at, ...key, name: mark, host: 'localhost' };
      ids.passkey.push((yield* insertUnlogged(passkeys, passkey)).id);
      const token = { ...book, ...at, token_hash: hash, label: mark };
      ids.token.push((yield* insertUnlogged(accessTokens, token)).id);
    }
    return { ...ids, cookie };
  });
}
