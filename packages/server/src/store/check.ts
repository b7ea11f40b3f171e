import sql, { raw } from 'sql-template-tag';
import type { Finding } from '../records/finding.ts';
import { compareCounts, repairCounts } from './counts.ts';
import { rows, run } from './engine.ts';
import type { Operation } from './engine.ts';
import { transactionJson } from './row-json.ts';

/** Re-checks everything that is derived from rows, and the file itself; with `repair`, mends what it can. */
export function* check(repair: boolean): Operation<Finding[]> {
  return [
    ...(yield* checkIntegrity()),
    ...(yield* checkForeignKeys()),
    ...(yield* checkCounts(repair)),
    ...(yield* checkJson(repair)),
    ...(yield* checkTags(repair)),
    ...(yield* checkSplits()),
  ];
}

function* checkIntegrity(): Operation<Finding[]> {
  const found = yield* rows<{ integrity_check: string }>(sql`PRAGMA integrity_check(100)`);
  return found
    .filter(({ integrity_check }) => integrity_check !== 'ok')
    .map(({ integrity_check }) => finding('integrity', integrity_check, false));
}

function* checkForeignKeys(): Operation<Finding[]> {
  const found = yield* rows<{ table: string; rowid: number; parent: string }>(
    sql`PRAGMA foreign_key_check`,
  );
  return found.map(({ table, rowid, parent }) =>
    finding('foreign keys', `Row ${rowid} of ${table} points to a missing row of ${parent}`, false),
  );
}

function* checkCounts(repair: boolean): Operation<Finding[]> {
  const differences = yield* compareCounts();
  if (repair && differences.length > 0) {
    yield* repairCounts(differences);
    yield* raiseVersions(differences.map(({ book_id }) => book_id));
  }
  return differences.map(({ book_id, granularity, period, counted, actual }) =>
    finding(
      'transaction_counts',
      `Book ${book_id}, ${granularity} ${period}: ${counted} are counted, ${actual} are there`,
      repair,
    ),
  );
}

function* checkJson(repair: boolean): Operation<Finding[]> {
  const stale = yield* rows<{ id: number; book_id: number }>(
    sql`SELECT id, book_id FROM transactions WHERE json IS NOT (${raw(transactionJson)})`,
  );
  if (repair) {
    // Any update of a row makes the engine render its JSON anew.
    for (const { id } of stale)
      yield* run(sql`UPDATE transactions SET date = date WHERE id = ${id}`);
    yield* raiseVersions(stale.map(({ book_id }) => book_id));
  }
  return stale.map(({ id, book_id }) =>
    finding(
      'transaction json',
      `Transaction ${id} of book ${book_id} is not rendered as it is stored`,
      repair,
    ),
  );
}

interface TagDifference {
  readonly id: number;
  readonly book_id: number;
  readonly kept: string;
  readonly actual: string;
}

/** The tag table is the index of the tag ids on the rows; the rows are what is shown. */
function* checkTags(repair: boolean): Operation<Finding[]> {
  const differences = yield* rows<TagDifference>(sql`
    SELECT id, book_id, kept, actual FROM (
      SELECT t.id, t.book_id,
        (SELECT ifnull(group_concat(tag, ','), '') FROM (SELECT k.tag_id || '@' || k.date AS tag
          FROM transaction_tags k WHERE k.transaction_id = t.id ORDER BY tag)) AS kept,
        (SELECT ifnull(group_concat(tag, ','), '') FROM (SELECT value || '@' || t.date AS tag
          FROM json_each(t.tag_ids) ORDER BY tag)) AS actual
      FROM transactions t
      WHERE t.tag_ids <> '[]' OR t.id IN (SELECT transaction_id FROM transaction_tags)
    ) WHERE kept <> actual`);
  if (repair) for (const { id } of differences) yield* repairTags(id);
  if (repair) yield* raiseVersions(differences.map(({ book_id }) => book_id));
  return differences.map(({ id, kept, actual }) =>
    finding(
      'transaction_tags',
      `Transaction ${id} has the tags "${actual}", but "${kept}" are indexed`,
      repair,
    ),
  );
}

function* repairTags(id: number): Operation<void> {
  yield* run(sql`DELETE FROM transaction_tags WHERE transaction_id = ${id}`);
  yield* run(sql`
    INSERT INTO transaction_tags (book_id, tag_id, date, transaction_id)
    SELECT t.book_id, j.value, t.date, t.id FROM transactions t, json_each(t.tag_ids) j WHERE t.id = ${id}`);
}

/** Both sides are records that a person wrote, so the doctor can tell that they disagree but not which is right. */
function* checkSplits(): Operation<Finding[]> {
  const wrong = yield* rows<{ id: number; amount: number; parts: number | null }>(sql`
    SELECT t.id, t.amount, (SELECT sum(c.amount) FROM transactions c
      WHERE c.book_id = t.book_id AND c.split_parent_id = t.id) AS parts
    FROM transactions t WHERE t.is_split_parent = 1 AND parts IS NOT t.amount`);
  return wrong.map(({ id, amount, parts }) =>
    finding(
      'splits',
      `Transaction ${id} is ${amount} ten-thousandths, its parts are ${parts ?? 'missing'}`,
      false,
    ),
  );
}

/** Pages that clients keep by version must not outlive what they showed. */
function* raiseVersions(bookIds: readonly number[]): Operation<void> {
  for (const id of new Set(bookIds)) {
    yield* run(sql`UPDATE books SET version = version + 1 WHERE id = ${id}`);
  }
}

function finding(check: string, detail: string, repaired: boolean): Finding {
  return { check, detail, repaired };
}
