import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import sql from 'sql-template-tag';
import type { Sql } from 'sql-template-tag';
import { rows, type Engine } from './engine.ts';
import type { Column, Table } from './table.ts';
import * as descriptions from './tables.ts';
import { engines } from './testing/engines.ts';

const { bookTables } = descriptions;
/** Every description, alone or in a list. */
const described = [
  ...new Set((Object.values(descriptions) as (Table | readonly Table[])[]).flat()),
];

/** Tables without a description: the change log, what is derived from transactions, and what one engine needs. */
const others =
  'changes changed_records transaction_counts hidden_counts transaction_sums transaction_tags transaction_texts ' +
  'id_sequences schema_versions';

/** Columns that refer to a record without a foreign key: of each table, pairs of a column and another table. */
const looseReferences = Object.entries({
  transactions:
    'manual_account_id manual_accounts, plaid_account_id plaid_accounts, recurring_id recurring_items, ' +
    'split_parent_id transactions, group_parent_id transactions, own_category_id categories',
  recurring_items: 'manual_account_id manual_accounts, plaid_account_id plaid_accounts',
  balance_history:
    'manual_account_id manual_accounts, plaid_account_id plaid_accounts, ' +
    'crypto_manual_id crypto_manual_accounts, crypto_synced_id crypto_synced_accounts',
}).flatMap(([table, pairs]) => pairs.split(', ').map((pair) => `${table}.${pair}`));

interface CatalogColumn {
  readonly table: string;
  readonly name: string;
  /** The engine's name for it, in upper case. */
  readonly type: string;
  readonly isNullable: number;
  readonly hasDefault: number;
  readonly isGenerated: number;
}

/** A unique index or primary key. The columns are joined by spaces; null for an index on an expression. */
interface CatalogKey {
  readonly table: string;
  readonly columns: string | null;
  readonly isPrimary: number;
}

interface CatalogReference {
  readonly table: string;
  readonly column: string;
  readonly target: string;
}

/** Statements that read the catalog of an engine into the interfaces above. */
interface Catalog {
  readonly columns: Sql;
  readonly keys: Sql;
  readonly references: Sql;
  readonly checks: Sql;
  readonly types: Readonly<Record<Column['type'], string>>;
}

const sqlite: Catalog = {
  columns: sql`
    SELECT t.name AS "table", c.name, c.type, c."notnull" = 0 AND c.pk = 0 AS "isNullable",
      c.dflt_value IS NOT NULL OR (c.pk = 1 AND t.wr = 0 AND c.type = 'INTEGER' AND s.sql LIKE '%AUTOINCREMENT%')
        AS "hasDefault", c.hidden > 1 AS "isGenerated"
    FROM pragma_table_list t JOIN sqlite_schema s ON s.name = t.name, pragma_table_xinfo(t.name) c
    WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite%'`,
  keys: sql`
    SELECT t.name AS "table", 1 AS "isPrimary",
      (SELECT group_concat(name, ' ')
        FROM (SELECT name FROM pragma_table_info(t.name) WHERE pk > 0 ORDER BY pk)) AS columns
    FROM pragma_table_list t WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite%'
    UNION ALL
    SELECT t.name, 0, (SELECT group_concat(name, ' ') FROM (SELECT name FROM pragma_index_info(i.name) ORDER BY seqno))
    FROM pragma_table_list t, pragma_index_list(t.name) i
    WHERE t.schema = 'main' AND i."unique" = 1 AND i.origin <> 'pk'`,
  references: sql`
    SELECT t.name AS "table", f."from" AS "column", f."table" AS target
    FROM pragma_table_list t, pragma_foreign_key_list(t.name) f
    WHERE t.schema = 'main' AND f."from" <> 'book_id'`,
  checks: sql`SELECT name AS "table", sql AS text FROM sqlite_schema WHERE type = 'table'`,
  types: { integer: 'INTEGER', flag: 'INTEGER', text: 'TEXT', bytes: 'BLOB' },
};

const postgres: Catalog = {
  columns: sql`
    SELECT table_name AS "table", column_name AS name, upper(data_type) AS type,
      CAST(is_nullable = 'YES' AS int) AS "isNullable",
      CAST(column_default IS NOT NULL OR is_identity = 'YES' AS int) AS "hasDefault",
      CAST(is_generated = 'ALWAYS' AS int) AS "isGenerated"
    FROM information_schema.columns WHERE table_schema = 'public'`,
  keys: sql`
    SELECT t.relname AS "table", CAST(x.indisprimary AS int) AS "isPrimary",
      (SELECT string_agg(a.attname, ' ' ORDER BY k.n) FROM unnest(x.indkey) WITH ORDINALITY k (attnum, n)
        JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = k.attnum) AS columns
    FROM pg_index x JOIN pg_class t ON t.oid = x.indrelid
    WHERE t.relnamespace = 'public'::regnamespace AND x.indisunique`,
  references: sql`
    SELECT t.relname AS "table", a.attname AS "column", f.relname AS target
    FROM pg_constraint c JOIN pg_class t ON t.oid = c.conrelid JOIN pg_class f ON f.oid = c.confrelid,
      unnest(c.conkey) k (attnum) JOIN pg_attribute a ON a.attnum = k.attnum
    WHERE c.contype = 'f' AND a.attrelid = t.oid AND a.attname <> 'book_id'`,
  checks: sql`
    SELECT t.relname AS "table", pg_get_constraintdef(c.oid) AS text
    FROM pg_constraint c JOIN pg_class t ON t.oid = c.conrelid WHERE c.contype = 'c'`,
  types: { integer: 'BIGINT', flag: 'SMALLINT', text: 'TEXT', bytes: 'BYTEA' },
};

const names = described.map((table) => table.name);

for (const { name, skip, open } of engines)
  describe(`the descriptions of tables and the catalog of ${name}`, { skip }, () => {
    const catalog = name === 'SQLite' ? sqlite : postgres;
    let engine: Engine;
    let columns: readonly CatalogColumn[];
    before(async () => {
      engine = await open();
      columns = await engine.read(() => rows<CatalogColumn>(catalog.columns));
    });
    const columnsOf = (table: string) => columns.filter((each) => each.table === table);

    it('have the same tables, except those that are written in another way', () => {
      const found = new Set(columns.map(({ table }) => table));
      const ofEngine = others.split(' ').filter((table) => found.has(table));
      assert.deepEqual([...found].toSorted(), [...names, ...ofEngine].toSorted());
      const ofBooks = described.filter(({ of }) => of === 'book').map((table) => table.name);
      assert.deepEqual(bookTables.map((table) => table.name).toSorted(), ofBooks.toSorted());
    });

    it('list each table after those that it refers to', () => {
      const order = bookTables.map((table) => table.name);
      for (const [at, table] of bookTables.entries())
        for (const { references } of Object.values(table.columns))
          if (references !== undefined) assert.ok(order.indexOf(references) <= at, table.name);
    });

    it('have the same columns, types, nulls and defaults, and generated columns', () => {
      for (const table of described) {
        const stored = columnsOf(table.name).map((each) => {
          // An insert may also omit a nullable column.
          const isOptional = each.isNullable === 1 || each.hasDefault === 1;
          if (each.isGenerated === 1) return `${each.name} generated`;
          return [each.name, each.type, each.isNullable === 1, isOptional].join(' ');
        });
        const expected = Object.entries(table.columns).map(([column, each]) =>
          [column, catalog.types[each.type], each.isNullable, each.isOptional].join(' '),
        );
        expected.push(...table.generated.map((column) => `${column} generated`));
        assert.deepEqual(stored.toSorted(), expected.toSorted(), table.name);
      }
    });

    it('have the same keys and unique columns', async () => {
      const keys = await engine.read(() => rows<CatalogKey>(catalog.keys));
      for (const table of described) {
        const own = keys.filter((each) => each.table === table.name);
        const sets = own.map((each) => (each.columns ?? '').split(' '));
        const isKey = (names: readonly string[]): boolean =>
          sets.some((set) => names.every((each) => set.includes(each)) && isBookBeside(set, names));
        const key = table.key.filter((each) => each !== 'book_id');
        assert.ok(isKey(key), `the key of ${table.name}`);
        for (const together of table.uniqueTogether)
          assert.ok(isKey(together), `${together.join()} of ${table.name}`);
        if (table.of !== 'book') continue;
        const rest = sets.filter((set) => !isBookBeside(set, table.key));
        // Engines list indexes in different orders.
        const text = (set: readonly string[]): string =>
          [...new Set(['book_id', ...set.toSorted()])].join();
        const found = rest.map(text).toSorted();
        const expected = table.uniqueTogether.map(text).toSorted();
        assert.deepEqual(found, expected, `the other unique columns of ${table.name}`);
      }
    });

    it('have the same references', async () => {
      const found = await engine.read(() => rows<CatalogReference>(catalog.references));
      // A user is no record.
      const stored = found
        .filter(({ table, column }) => names.includes(table) && column !== 'user_id')
        .map(({ table, column, target }) => `${table}.${column} ${target}`);
      const expected = described.flatMap((table) =>
        Object.entries(table.columns)
          .filter(([, { references }]) => references !== undefined)
          .map(([column, { references }]) => `${table.name}.${column} ${references}`),
      );
      assert.deepEqual([...stored, ...looseReferences].toSorted(), expected.toSorted());
    });

    it('allow the same words, and exclude the same columns', async () => {
      const checks = await engine.read(() => rows<{ table: string; text: string }>(catalog.checks));
      const textOf = (table: string): string =>
        checks
          .flatMap((check) => (check.table === table ? check.text.replaceAll('::text', '') : []))
          .join('\n');
      for (const table of described) {
        for (const [column, { words = [] }] of Object.entries(table.columns)) {
          const list = new RegExp(`${column}\\b[^)]*?(?:IN \\(|ARRAY\\[)([^)\\]]*)`).exec(
            textOf(table.name),
          );
          const allowed = [...(list?.[1] ?? '').matchAll(/'([\w ]+)'/g)].map(([, word]) => word);
          if (words.length > 0) assert.deepEqual(allowed.toSorted(), [...words].toSorted(), column);
        }
        for (const exclusive of table.exclusive) {
          const all = exclusive.map((column) => `\\(?${column} IS NULL\\)?`).join(' OR ');
          assert.match(textOf(table.name), new RegExp(all), table.name);
        }
      }
    });
  });

/** Whether a set of columns has exactly these names, ignoring `book_id`. */
function isBookBeside(set: readonly string[], names: readonly string[]): boolean {
  const rest = set.filter((each) => each !== 'book_id' || names.includes(each));
  return rest.length === names.length && rest.every((each) => names.includes(each));
}
