import sql from 'sql-template-tag';
import type { Dialect } from '../db/dialect.ts';
import { insertMany, rows, run } from '../db/engine.ts';
import type { Steps } from '../db/engine.ts';
import { transactions } from '../db/tables/tables.ts';
import { Findings } from './finding.ts';
import type { Finding } from './finding.ts';
import { nextRows } from './tables.ts';

/** Compares the stored JSON of each transaction with its columns. */
export function* checkJson(repair: boolean, { transactionJson }: Dialect): Steps<Finding[]> {
  const findings = new Findings('transaction json', { repaired: repair });
  const stale = yield* rows<{ id: number; book_id: number }>(
    sql`SELECT id, book_id FROM transactions WHERE json IS DISTINCT FROM ${transactionJson}`,
  );
  for (const { id, book_id } of stale) {
    findings.add(
      `The stored JSON of transaction ${id} in book ${book_id} differs from its columns`,
    );
    // Any update of a row makes the engine compute its JSON again.
    if (repair)
      yield* run(
        sql`UPDATE transactions SET date = date WHERE book_id = ${book_id} AND id = ${id}`,
      );
  }
  if (repair) yield* raiseVersions(stale);
  return findings.list();
}

/** A transaction with tags in its row or in the index. */
interface TaggedRow {
  readonly [column: string]: string | number | null;
  readonly id: number;
  readonly book_id: number;
  readonly date: string;
  readonly tag_ids: string;
  /** The tags in the index with their dates, joined by commas. */
  readonly indexed: string | null;
}

const taggedRows = {
  columns: sql`id, book_id, date, tag_ids, (
    SELECT string_agg(k.tag_id || '@' || k.date, ',') FROM transaction_tags k
    WHERE k.book_id = transactions.book_id AND k.transaction_id = transactions.id) AS indexed`,
  // EXISTS instead of IN, for which SQLite would collect the tags of the whole book for every row.
  where: sql`(tag_ids <> '[]' OR EXISTS (SELECT 1 FROM transaction_tags k
    WHERE k.book_id = transactions.book_id AND k.transaction_id = transactions.id))`,
};

/** A JSON array of ids as the program writes it: without spaces, and with at most 15 digits in each id. */
const tagIdsPattern = /^\[([1-9][0-9]{0,14}(,[1-9][0-9]{0,14})*)?\]$/;

/** Compares `transaction_tags`, the index of tags, with the `tag_ids` of the transactions. */
export function* checkTags(repair: boolean): Steps<Finding[]> {
  const malformed = new Findings('metadata');
  const stale = new Findings('transaction_tags', { repaired: repair });
  const repaired: TaggedRow[] = [];
  let found: TaggedRow[] = [];
  do {
    found = yield* nextRows(transactions, taggedRows, found.at(-1));
    for (const each of found) {
      const { id, date, tag_ids } = each;
      if (!tagIdsPattern.test(tag_ids)) {
        malformed.add(`The tag_ids of transaction ${id} are not a JSON array of ids`);
        continue;
      }
      const tags = [...new Set(JSON.parse(tag_ids) as number[])];
      const actual = tags
        .map((tag) => `${tag}@${date}`)
        .toSorted()
        .join(',');
      const kept = (each.indexed ?? '').split(',').toSorted().join(',');
      if (actual === kept) continue;
      stale.add(`Transaction ${id} has the tags "${actual}", but the index has "${kept}"`);
      if (repair) yield* repairTags(each, tags);
      if (repair) repaired.push(each);
    }
  } while (found.length > 0);
  yield* raiseVersions(repaired);
  return [...malformed.list(), ...stale.list()];
}

function* repairTags({ id, book_id, date }: TaggedRow, tags: readonly number[]): Steps<void> {
  yield* run(
    sql`DELETE FROM transaction_tags WHERE book_id = ${book_id} AND transaction_id = ${id}`,
  );
  yield* insertMany(
    'transaction_tags',
    ['book_id', 'tag_id', 'date', 'transaction_id'],
    tags.map((tag) => [book_id, tag, date, id]),
  );
}

/** Raises the versions of books, so that clients do not keep cached pages. The change log gets an entry for each. */
export function* raiseVersions(changed: readonly { readonly book_id: number }[]): Steps<void> {
  for (const id of new Set(changed.map(({ book_id }) => book_id))) {
    yield* run(sql`
      UPDATE books SET version = version + 1,
        derived_version = CASE WHEN derived_version = version THEN version + 1 ELSE derived_version END,
        hidden_counts_version =
          CASE WHEN hidden_counts_version = version THEN version + 1 ELSE hidden_counts_version END,
        texts_version = CASE WHEN texts_version = version THEN version + 1 ELSE texts_version END
      WHERE id = ${id}`);
    yield* run(sql`INSERT INTO changes (book_id, version, at, actor, operation)
      SELECT id, version, changed_at, 'command', 'doctor' FROM books WHERE id = ${id}`);
  }
}
