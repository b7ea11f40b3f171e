import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeFolder } from '../../packages/cli/src/testing/run-coffer.ts';
import { schemaVersion } from '../../packages/server/src/db/migrations/index.ts';
import { oldSchemas, unpackOldSchema } from '../../packages/server/src/db/testing/old-schemas.ts';
import { checkDatabase, readConfig, serve } from '../../packages/server/src/main.ts';
import { checkSeal } from '../../packages/server/src/maintenance/backup.ts';
import { recordBodies } from './old-bodies.ts';

/** Digests by user and request, from the version that wrote the database of the second schema. */
const recorded = JSON.parse(
  readFileSync(join(import.meta.dirname, 'schema-2-bodies.json'), 'utf8'),
) as Record<string, Record<string, string>>;

test('a database of the second schema is backed up, migrated, and returns the same bytes', async (t) => {
  const folder = makeFolder();
  const path = join(folder, 'old.db');
  const old = oldSchemas.find(({ version }) => version === 2)!;
  unpackOldSchema(old, path);
  const server = await serve(
    readConfig(
      {
        ...{ host: '127.0.0.1', port: '0', logLevel: 'silent', database: `sqlite:${path}` },
        rateLimit: '1000000/24h',
      },
      {},
    ),
  );
  t.after(() => server.close());
  const backups = readdirSync(folder).filter((name) =>
    name.startsWith(`old.db.before-schema-${schemaVersion}-`),
  );
  assert.equal(backups.length, 1);
  assert.equal(checkSeal(join(folder, backups[0]!)), 'intact');
  assert.deepEqual(Object.keys(recorded), Object.keys(old.tokens));
  for (const [user, token] of Object.entries(old.tokens)) {
    const bodies = await recordBodies(async (target) => {
      const headers = { Authorization: `Bearer ${token}` };
      const answer = await fetch(`${server.url}${target}`, { headers });
      return { status: answer.status, text: await answer.text() };
    });
    assert.ok(Object.keys(bodies).length > 50);
    assert.deepEqual(bodies, recorded[user]);
  }
  assert.deepEqual(await checkDatabase(server.engine, { repair: false }), []);
});
