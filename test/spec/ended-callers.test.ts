import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import sql, { raw } from 'sql-template-tag';
import { ManualClock } from '../../packages/server/src/limiter/testing/manual-clock.ts';
import { newFolder } from '../../packages/server/src/db/testing/folder.ts';
import { rows, run, type Engine } from '../../packages/server/src/db/engine.ts';
import { createDiskStore } from '../../packages/server/src/files/disk.ts';
import { operations } from '../../packages/server/src/all.ts';
import { noServices } from '../../packages/server/src/services.ts';
import { sha256 } from '../../packages/server/src/identity/users/actions.ts';
import { goodRequest } from '../service/good-requests.ts';
import { startServiceWith } from '../service/started-service.ts';
import { newName, withBody } from '../service/json-requests.ts';
import { addToken } from '../service/owners.ts';

/** The token of the request that is under way; its session and this token end before it writes. Null for none. */
let ending: string | null = null;
let before: unknown;

const faults = (engine: Engine): Partial<Engine> => ({
  async write(steps, options) {
    // The last use of a caller is written after the response, and never waits.
    if (ending !== null && options?.waitMs !== 0) {
      const hash = sha256(ending);
      ending = null;
      await engine.write(function* () {
        yield* run(sql`UPDATE access_tokens SET revoked_at = ${at} WHERE token_hash = ${hash}`);
        yield* run(sql`DELETE FROM sessions`);
      });
      before = await stateOf(engine);
    }
    return engine.write(steps, options);
  },
});
const at = '2026-01-01T00:00:00.000Z';

const assetSource = {
  find: () => Promise.resolve({ coingecko_id: 'x', symbol: 'x', name: 'X' }),
  prices: () => Promise.resolve([]),
};
const service = await startServiceWith(new ManualClock(), {
  faults,
  services: { assetSource, files: createDiskStore(newFolder()) },
});
after(() => service.close());

/** What a request could change: the books, and tables without a log. */
const tables = ['books', 'changes', 'webhooks', 'imports', 'import_previews', 'sync_requests'];
const ofUsers = ['passwords', 'passkeys', 'passkey_challenges', 'sessions'];

function stateOf(engine: Engine): Promise<unknown> {
  return engine.read(function* () {
    const state: unknown[] = [
      yield* rows(sql`SELECT id, revoked_at FROM access_tokens ORDER BY id`),
    ];
    for (const table of [...tables, ...ofUsers])
      state.push(yield* rows(sql`SELECT * FROM ${raw(table)} ORDER BY 1, 2`));
    return state;
  });
}

/** Callers wait for the reading of a provider together. */
const shared = 'refreshCryptoSynced';

test('a request whose session or token has ended meanwhile changes nothing', async (t) => {
  for (const { kind, declaration } of operations(noServices)) {
    const { id } = declaration;
    if (!['write', 'outside'].includes(kind) || id === shared) continue;
    await t.test(id, async () => {
      const { target, asking } = await goodRequest(service, id);
      const token = await addToken(service.engine, service.ada);
      const as = asking.as === null ? null : { ...service.ada, token };
      const own = withBody('POST', { name: newName() }, { ...service.ada, token });
      if (id === 'undoLastChange') await service.ask('/v2/tags', own);
      ending = token;
      const { status, text } = await service.ask(target, { ...asking, as });
      assert.equal(ending, null, 'it has written');
      assert.equal(status, 401, text);
      assert.deepEqual(await stateOf(service.engine), before);
    });
  }
});
