import type { FeedChange } from '../../book/feed.ts';
import { blocksOf } from '../../db/blocks.ts';
import type { Steps } from '../../db/engine.ts';
import { recordForms } from './forms.ts';

/**
 * Returns the present form of the record of each change as JSON, or null where the record no longer exists.
 *
 * It needs a statement for each table and block of records. Run it on the snapshot of the changes.
 */
export function* presentValues(
  bookId: number,
  changes: readonly Pick<FeedChange, 'record' | 'id' | 'key'>[],
): Steps<(string | null)[]> {
  const values = new Map<string, string>();
  for (const [record, some] of Map.groupBy(changes, (change) => change.record)) {
    const { read } = formNamed(record);
    for (const ids of blocksOf([...new Set(some.map(({ id }) => id))]))
      for (const { key, json } of yield* read(bookId, ids)) values.set(`${record} ${key}`, json);
  }
  return changes.map(({ record, id, key }) => {
    const name = [record, id, ...Object.values(key)].join(' ');
    return values.get(name) ?? null;
  });
}

function formNamed(record: string) {
  const form = recordForms.find(({ table }) => table.name === record);
  if (form === undefined) throw new Error(`Records of the table "${record}" have no form`);
  return form;
}
