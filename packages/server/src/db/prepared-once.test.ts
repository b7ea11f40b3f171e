import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { constants, DatabaseSync } from 'node:sqlite';
import Database from 'better-sqlite3';
import { raw } from 'sql-template-tag';
import { recordingEngine } from './testing/recording-engine.ts';
import { migrate } from './sqlite/migrate.ts';
import { openSqlite } from './sqlite/sqlite.ts';
import { nowIso, performAll } from '../operations/testing/every-operation.ts';

/** The texts of the statements that SQLite ran, each with values that were bound to it. */
const texts = new Map<string, readonly Bound[]>();
type Bound = number | string | Uint8Array | null;

// eslint-disable-next-line @typescript-eslint/unbound-method -- it is called with a database as `this`
const { prepare } = Database.prototype;
let schema: readonly string[] = [];

/** Records the text and the values of each statement that a database runs. */
function recordingPrepare(this: Database.Database, text: string): Database.Statement {
  const statement = prepare.call(this, text);
  for (const name of ['all', 'run'] as const) {
    const method = statement[name].bind(statement) as (...values: unknown[]) => unknown;
    Object.defineProperty(statement, name, {
      value: (...values: unknown[]) => {
        texts.set(text, values.flat() as Bound[]);
        return method(...values);
      },
    });
  }
  return statement;
}

function others(values: readonly Bound[]): Bound[] {
  return values.map((value) => {
    if (typeof value === 'number') return value + 1;
    return typeof value === 'string' ? `${value}x` : value;
  });
}

describe('SQLite prepares each statement once', () => {
  before(async () => {
    Database.prototype.prepare = recordingPrepare as typeof prepare;
    const engine = openSqlite({
      path: ':memory:',
      busyTimeoutMs: 0,
      now: () => Date.parse(nowIso),
    });
    migrate(engine);
    await performAll(recordingEngine(engine));
    const tables = `SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite%' ORDER BY rowid`;
    await engine.read(function* () {
      schema = ((yield raw(tables)) as { sql: string }[]).map(({ sql }) => sql);
    });
    await engine.close();
  });
  after(() => {
    Database.prototype.prepare = prepare;
  });

  it('whatever values are bound to it', () => {
    const database = new DatabaseSync(':memory:', { enableForeignKeyConstraints: false });
    for (const each of schema) database.exec(each);
    const again: string[] = [];
    const bound = [...texts].filter(([, values]) => values.length > 0);
    assert.ok(bound.length > 300, `Only ${bound.length} statements were seen`);
    for (const [text, values] of bound) {
      const statement = database.prepare(text);
      let parts = 0;
      // SQLite calls it for the parts of a statement, only while it prepares.
      database.setAuthorizer(() => {
        parts += 1;
        return constants.SQLITE_OK;
      });
      const run = (each: readonly Bound[]): void => {
        try {
          statement.all(...each);
        } catch {
          // It was prepared before a constraint refused it.
        }
      };
      run(values);
      // Setting the function above expires what was prepared before.
      parts = 0;
      run(others(values));
      run(values);
      database.setAuthorizer(null);
      if (parts > 0) again.push(text);
    }
    assert.deepEqual(again, []);
    database.close();
  });
});
