import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { raw } from 'sql-template-tag';
import { insertMany, rows } from '../engine.ts';
import { SqliteConnection } from './connection.ts';

/** Returns the statements that insert 60 rows with some columns, and how many rows are stored. */
function inserting(columnCount: number): { statements: string[]; stored: unknown } {
  const connection = new SqliteConnection(':memory:', { openTimeoutMs: 0 });
  const columns = Array.from({ length: columnCount }, (_, at) => `c${at}`);
  connection.execute(`CREATE TABLE kept (${columns.join(', ')})`, 0);
  const { database } = connection;
  const statements: string[] = [];
  const prepare = database.prepare.bind(database);
  database.prepare = (text: string) => {
    statements.push(text);
    return prepare(text);
  };
  const values = Array.from({ length: 60 }, (_, n) => columns.map(() => n));
  connection.run(insertMany('kept', columns, values));
  const stored = connection.run(
    rows(raw('SELECT count(*) AS n, count(DISTINCT c0) AS d FROM kept')),
  );
  connection.close();
  return { statements: statements.filter((text) => text.startsWith('INSERT')), stored };
}

const lists = (statement: string): number => statement.split('(?').length - 1;

describe('many rows on SQLite', () => {
  it('are inserted several at once if they are short', () => {
    const { statements, stored } = inserting(4);
    assert.deepEqual(statements.map(lists), [25, 1]);
    assert.deepEqual(stored, [{ n: 60, d: 60 }]);
  });

  it('are inserted one by one if they are long: SQLite would copy all changed pages', () => {
    const { statements, stored } = inserting(28);
    assert.deepEqual(statements.map(lists), [1]);
    assert.deepEqual(stored, [{ n: 60, d: 60 }]);
  });
});
