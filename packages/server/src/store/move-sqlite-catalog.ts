import sql, { raw } from 'sql-template-tag';
import { rows, run } from './engine.ts';
import type { Operation } from './engine.ts';
import { tablesOf } from './move-catalog.ts';
import type { Catalog, ColumnRow, NextIds, Table, Value } from './move-catalog.ts';

/** The schema of an SQLite file, read from the file. */
export const sqliteCatalog: Catalog = {
  *readTables() {
    return tablesOf(
      yield* rows<ColumnRow>(sql`
        SELECT m.name AS "table", c.name AS "column", c.hidden IN (2, 3) AS "isGenerated",
          nullif(c.pk, 0) AS "keyPlace"
        FROM sqlite_schema m JOIN pragma_table_xinfo(m.name) c
        WHERE m.type = 'table' AND m.name NOT GLOB 'sqlite_*' ORDER BY m.name, c.cid`),
    );
  },

  *readNextIds() {
    const found = yield* rows<{ name: string; next: number }>(sql`
      SELECT name, seq + 1 AS next FROM sqlite_sequence UNION ALL SELECT name, next_id FROM id_sequences`);
    return new Map(found.map(({ name, next }) => [name, next]));
  },

  *writeNextIds(nextIds: NextIds): Operation<void> {
    const own = yield* rows<{ name: string }>(sql`SELECT name FROM id_sequences`);
    for (const [name, next] of nextIds) {
      if (own.some((sequence) => sequence.name === name)) {
        yield* run(sql`UPDATE id_sequences SET next_id = ${next} WHERE name = ${name}`);
        continue;
      }
      // The engine made a row when the first id was stored, and keeps none for a table that never had any.
      yield* run(sql`DELETE FROM sqlite_sequence WHERE name = ${name}`);
      // Its column takes any type, and a number of the driver is no integer.
      if (next > 1)
        yield* run(
          sql`INSERT INTO sqlite_sequence (name, seq) VALUES (${name}, CAST(${next - 1} AS INTEGER))`,
        );
    }
  },

  /** CROSS JOIN makes the engine go through the keys, and look each of them up. */
  rowsWithKeys(table: Table, keys: readonly (readonly Value[])[]) {
    const isThat = table.key.map((column, index) => `t.${column} = k.value ->> ${index}`);
    return sql`SELECT t.* FROM json_each(${JSON.stringify(keys)}) k
      CROSS JOIN ${raw(table.name)} t ON ${raw(isThat.join(' AND '))}`;
  },

  // The lock beside the file does that.
  *keepWritersOut() {
    yield* [];
  },
};
