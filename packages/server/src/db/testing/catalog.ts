import sql, { type Sql } from 'sql-template-tag';
import { rows, type Engine } from '../engine.ts';

/**
 * Returns what a database consists of, a line for each column, constraint, index, function and sequence, in the words
 * of the engine's own catalog, and what a new database has in its tables. The order of columns is left out: a migration
 * adds a column at the end.
 */
export async function catalogOf(engine: Engine, name: string): Promise<string[]> {
  const statement = name === 'SQLite' ? sqlite : postgres;
  const found = await engine.read(() => rows<{ line: string }>(statement));
  const lines = found.flatMap(({ line }) => (line.startsWith('table ') ? checksOf(line) : [line]));
  return lines.map(normal).toSorted();
}

const names = sql`SELECT t.name, t.wr, t.strict, s.sql FROM pragma_table_list t JOIN sqlite_schema s ON s.name = t.name
  WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite%'`;

const sqlite = sql`
  SELECT concat_ws(' ', 'column', t.name, c.name, c.type, c."notnull", c.dflt_value, c.pk, c.hidden,
      CASE WHEN c.pk = 1 AND t.sql LIKE '%AUTOINCREMENT%' THEN 'autoincrement' END) AS line
    FROM (${names}) t, pragma_table_xinfo(t.name) c
  UNION ALL SELECT concat_ws(' ', 'options', name, wr, strict) FROM (${names})
  UNION ALL SELECT concat_ws(' ', 'table', name, sql) FROM (${names})
  UNION ALL
  SELECT concat_ws(' ', 'key', t.name, f."table", group_concat(concat(f."from", '=', f."to"), ', ' ORDER BY f.seq),
      f.on_update, f.on_delete)
    FROM (${names}) t, pragma_foreign_key_list(t.name) f GROUP BY t.name, f.id
  UNION ALL
  SELECT concat_ws(' ', 'index', t.name, CASE i.origin WHEN 'c' THEN i.name END, i."unique", i.origin, i.partial,
      (SELECT group_concat(concat_ws(' ', iif(x.cid = -2, 'expression', x.name), x."desc", x.coll), ', ' ORDER BY x.seqno)
        FROM pragma_index_xinfo(i.name) x), (SELECT s.sql FROM sqlite_schema s WHERE s.name = i.name))
    FROM (${names}) t, pragma_index_list(t.name) i
  UNION ALL SELECT concat_ws(' ', type, name, sql) FROM sqlite_schema WHERE type NOT IN ('table', 'index')
  UNION ALL SELECT concat_ws(' ', 'statistics', tbl, idx, stat) FROM sqlite_stat1
  UNION ALL SELECT concat_ws(' ', 'sequence', name) FROM id_sequences
  UNION ALL SELECT concat_ws(' ', 'identity', name, length(value)) FROM database_identity
  UNION ALL SELECT concat_ws(' ', 'version', user_version) FROM pragma_user_version`;

const own = sql`(SELECT oid, relname, relkind FROM pg_class WHERE relnamespace = 'public'::regnamespace)`;

const postgres: Sql = sql`
  SELECT concat_ws(' ', 'column', c.relname, a.attname, format_type(a.atttypid, a.atttypmod), l.collname, a.attnotnull,
      a.attidentity, a.attgenerated, pg_get_expr(d.adbin, d.adrelid), a.attstorage, a.attcompression) AS line
    FROM ${own} c JOIN pg_attribute a ON a.attrelid = c.oid LEFT JOIN pg_collation l ON l.oid = a.attcollation
      LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
    WHERE c.relkind IN ('r', 'p', 'v', 'm') AND a.attnum > 0 AND NOT a.attisdropped
  UNION ALL
  SELECT concat_ws(' ', 'relation', relname, relkind) FROM ${own} c
  UNION ALL
  SELECT concat_ws(' ', 'constraint', c.relname, k.conname, pg_get_constraintdef(k.oid))
    FROM pg_constraint k JOIN ${own} c ON c.oid = k.conrelid
  UNION ALL SELECT concat_ws(' ', 'index', indexdef) FROM pg_indexes WHERE schemaname = 'public'
  UNION ALL
  SELECT concat_ws(' ', 'sequence', sequencename, data_type, start_value, min_value, increment_by, cycle, cache_size)
    FROM pg_sequences WHERE schemaname = 'public'
  UNION ALL
  SELECT concat_ws(' ', 'function', pg_get_functiondef(p.oid)) FROM pg_proc p
    WHERE p.pronamespace = 'public'::regnamespace
  UNION ALL
  SELECT concat_ws(' ', 'trigger', pg_get_triggerdef(g.oid)) FROM pg_trigger g WHERE NOT g.tgisinternal
  UNION ALL SELECT concat_ws(' ', 'identity', name, length(value)) FROM database_identity WHERE name <> 'place'
  UNION ALL SELECT concat_ws(' ', 'version', max(version)) FROM schema_versions`;

/** Returns the checks and the computed columns of a table of SQLite, whose catalog has only the text of the table. */
function checksOf(line: string): string[] {
  const [, table] = line.split(' ');
  return [...line.matchAll(/\b(?:CHECK|AS)\s*\(/g)].map(
    ({ index, 0: start }) => `check ${table} ${inParentheses(line, index + start.length)}`,
  );
}

/** Returns the text up to the parenthesis that closes the one before `from`. */
function inParentheses(text: string, from: number): string {
  let depth = 1;
  let at = from;
  for (; depth > 0; at += 1) depth += { '(': 1, ')': -1 }[text[at]!] ?? 0;
  return text.slice(from, at - 1);
}

/** Spaces differ, and so does a short list of words: `a IN ('x', 'y')` is `a = 'x' OR a = 'y'`. */
function normal(line: string): string {
  return line
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/(\w+) IN \((('[\w ]+'(, )?)+)\)/g, (_, column: string, words: string) =>
      words
        .split(', ')
        .map((word) => `${column} = ${word}`)
        .join(' OR '),
    );
}
