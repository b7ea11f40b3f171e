import { join } from 'node:path';
import Database from 'better-sqlite3';
import { ESLint } from 'eslint';
import { addOwner, inFolder, useStore } from './book.ts';
import type { Outcome } from './check.ts';

const root = join(import.meta.dirname, '..');
/** Where money is read, decided on and stored. */
const rooms = ['server/src/store', 'server/src/records', 'statements/src'];
const forbidden = ['parseFloat', 'toFixed'];

/** Nothing on the way of money can be a float: the linter forbids it in code, strict columns in data. */
export async function proveIntegersOnly(): Promise<Outcome> {
  const problems = [...(await missingRules()), ...(await inFolder(looseColumns))];
  return { figure: `${rooms.length} rooms and all tables without a float`, problems };
}

async function missingRules(): Promise<string[]> {
  const eslint = new ESLint({ cwd: root });
  const problems: string[] = [];
  for (const room of rooms) {
    const config = (await eslint.calculateConfigForFile(join(root, 'packages', room, 'a.ts'))) as {
      readonly rules: Readonly<Record<string, unknown>>;
    };
    const rule = JSON.stringify(config.rules['no-restricted-syntax']);
    for (const name of forbidden)
      if (!rule.startsWith('[2') || !rule.includes(name)) problems.push(`${room} may use ${name}`);
  }
  return problems;
}

async function looseColumns(folder: string): Promise<string[]> {
  const path = join(folder, 'columns.db');
  await useStore(path, (store) => addOwner(store, 'columns'));
  const database = new Database(path, { readonly: true });
  try {
    const tables = database
      .prepare<[], { name: string; strict: number }>(
        `SELECT name, strict FROM pragma_table_list
         WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'`,
      )
      .all();
    const columns = database
      .prepare<[], { table_name: string; name: string; type: string }>(
        `SELECT m.name AS table_name, c.name, c.type FROM sqlite_schema m, pragma_table_xinfo(m.name) c
         WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' AND (c.type NOT IN ('INTEGER', 'TEXT', 'BLOB')
           OR (c.name IN ('amount', 'to_base', 'balance', 'credit_limit') AND c.type <> 'INTEGER'))`,
      )
      .all();
    const loose = tables.filter(({ strict }) => strict === 0);
    if (tables.length === 0) return ['no table was found'];
    return [
      ...loose.map(({ name }) => `the table ${name} is not STRICT`),
      ...columns.map(({ table_name, name, type }) => `${table_name}.${name} is ${type}`),
    ];
  } finally {
    database.close();
  }
}
