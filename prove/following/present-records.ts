import { select } from '../../packages/server/src/db/rows.ts';
import { blocksOf } from '../../packages/server/src/db/blocks.ts';
import type { Engine } from '../../packages/server/src/main.ts';
import { recordForms } from '../../packages/server/src/resources/changes/forms.ts';
import type { Records } from '../../packages/client/examples/mirror.ts';

/** Returns every record of a book in its present form, by kind and key, from one snapshot. */
export function presentRecords(
  store: Engine,
  bookId: number,
): Promise<Readonly<Record<string, Records>>> {
  return store.read(function* () {
    const all: Record<string, Records> = {};
    for (const { table, read } of recordForms) {
      const rows = yield* select(table, { book_id: bookId });
      const ids = rows.map((row) => (row as Record<string, unknown>)[table.key[0]!] as number);
      const own: Record<string, unknown> = {};
      for (const block of blocksOf([...new Set(ids)]))
        for (const { key, json } of yield* read(bookId, block)) own[key] = JSON.parse(json);
      all[table.name] = own;
    }
    return all;
  });
}
