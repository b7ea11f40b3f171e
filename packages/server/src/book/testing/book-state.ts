import type { Engine } from '../../db/engine.ts';
import { select } from '../../db/rows.ts';
import type { BookTable, Values } from '../../db/table.ts';
import { bookTables } from '../../db/tables/tables.ts';

export type RecordsByKey = ReadonlyMap<string, Values>;

/** Every record of a book by the name of its table, without secrets and `updated_at`. */
export type BookState = ReadonlyMap<string, RecordsByKey>;

export function readState(engine: Engine, bookId: number): Promise<BookState> {
  return engine.read(function* () {
    const state = new Map<string, RecordsByKey>();
    for (const table of bookTables) {
      const all = yield* select(table, { book_id: bookId });
      state.set(table.name, new Map(all.map((row) => [keyOf(table, row), compared(table, row)])));
    }
    return state;
  });
}

function keyOf(table: BookTable, row: Values): string {
  return table.key.map((name) => row[name]).join(' ');
}

function compared(table: BookTable, row: Values): Values {
  const isCompared = (name: string): boolean =>
    name !== 'updated_at' && table.columns[name]?.placeholder === undefined;
  return Object.fromEntries(Object.entries(row).filter(([name]) => isCompared(name)));
}
