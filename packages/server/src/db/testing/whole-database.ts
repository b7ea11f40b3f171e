import Database from 'better-sqlite3';

/** The contents of some tables: a line of JSON for each row, by the name of the table. */
export type Dump = Readonly<Record<string, readonly string[]>>;

type Columns = Readonly<Record<string, readonly string[]>>;

/** Returns the tables of a database and their columns, without the tables of the engine. */
export function columnsOf(path: string): Columns {
  return withDatabase(path, (database) => {
    const tables = database
      .prepare<[], string>(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name",
      )
      .pluck()
      .all();
    const columns = database.prepare<[string], string>(
      'SELECT name FROM pragma_table_info(?) ORDER BY cid',
    );
    return Object.fromEntries(tables.map((table) => [table, columns.pluck().all(table)]));
  });
}

export function dump(path: string, columns: Columns): Dump {
  return withDatabase(path, (database) => {
    database.defaultSafeIntegers();
    const lines = (table: string, names: readonly string[]): string[] =>
      database
        .prepare<[], string>(`SELECT json_array(${names.map(printed).join(', ')}) FROM ${table}`)
        .pluck()
        .all()
        .toSorted();
    return Object.fromEntries(
      Object.entries(columns).map(([table, names]) => [table, lines(table, names)]),
    );
  });
}

/** Returns the expression for a column in JSON, which cannot contain bytes: they become hexadecimal digits. */
export function printed(column: string): string {
  return `iif(typeof(${column}) = 'blob', hex(${column}), ${column})`;
}

function withDatabase<T>(path: string, work: (database: Database.Database) => T): T {
  const database = new Database(path, { fileMustExist: true });
  try {
    return work(database);
  } finally {
    database.close();
  }
}
