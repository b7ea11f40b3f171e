import Database from 'better-sqlite3';

/** Plain rows of the first book that has any: no parents, parts or members, which would need each other. */
const plain = `is_split_parent = 0 AND split_parent_id IS NULL AND is_group_parent = 0
  AND group_parent_id IS NULL AND tag_ids = '[]' AND is_pending = 0`;

/**
 * Adds rows to a database of any schema until it has about so many, by copying rows that it has, and leaves it whole:
 * the counts of days and months are right, ids go on where they ended.
 */
export function growDatabase(path: string, rowCount: number): void {
  const database = new Database(path, { fileMustExist: true });
  try {
    database.pragma('synchronous = OFF');
    database.transaction(() => {
      addRows(database, rowCount);
      countAnew(database);
    })();
    database.pragma('journal_mode = WAL');
  } finally {
    database.close();
  }
}

function addRows(database: Database.Database, rowCount: number): void {
  const columns = database
    .prepare<[], string>("SELECT name FROM pragma_table_info('transactions') WHERE name <> 'id'")
    .pluck()
    .all()
    .map((name) => (name === 'external_id' ? 'NULL' : name));
  const names = columns.filter((name) => name !== 'NULL').join(', ');
  const number = (sql: string): number => database.prepare<[], number>(sql).pluck().get() ?? 0;
  const ownRows = number(`SELECT count(*) FROM transactions WHERE ${plain}`);
  const copies = Math.floor(rowCount / ownRows);
  const step = number('SELECT max(id) FROM transactions') + 1;
  database.exec(`
    INSERT INTO transactions (id, ${names})
    WITH RECURSIVE copies (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM copies WHERE n < ${copies})
    SELECT id + n * ${step}, ${names} FROM copies CROSS JOIN transactions WHERE ${plain} AND id < ${step};
    UPDATE id_sequences SET next_id = (SELECT max(id) + 1 FROM transactions) WHERE name = 'transactions'`);
}

function countAnew(database: Database.Database): void {
  const count = (granularity: string, length: number): string => `
    INSERT INTO transaction_counts (book_id, granularity, period, listed)
    SELECT book_id, '${granularity}', substr(date, 1, ${length}), count(*) FROM transactions
    WHERE listed = 1 GROUP BY 1, 3;`;
  database.exec(`DELETE FROM transaction_counts; ${count('month', 7)} ${count('day', 10)}`);
}
