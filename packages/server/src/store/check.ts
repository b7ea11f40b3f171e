import sql from 'sql-template-tag';
import type { Finding } from '../records/finding.ts';
import { compareCounts, repairCounts } from './counts.ts';
import type { Dialect } from './dialect.ts';
import { rows, run } from './engine.ts';
import type { Operation } from './engine.ts';

/** Re-checks everything that is derived from rows, and the file itself; with `repair`, mends what it can. */
export function* check(repair: boolean, dialect: Dialect): Operation<Finding[]> {
  return [
    ...(yield* checkOwn(dialect)),
    ...(yield* checkCounts(repair)),
    ...(yield* checkJson(repair, dialect)),
    ...(yield* checkTags(repair, dialect)),
    ...(yield* checkSplits()),
  ];
}

function* checkOwn({ ownChecks }: Dialect): Operation<Finding[]> {
  const findings: Finding[] = [];
  for (const query of ownChecks) {
    const found = yield* rows<{ kind: string; detail: string }>(query);
    findings.push(...found.map(({ kind, detail }) => finding(kind, detail, false)));
  }
  return findings;
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

function* checkJson(repair: boolean, { transactionJson }: Dialect): Operation<Finding[]> {
  const stale = yield* rows<{ id: number; book_id: number }>(
    sql`SELECT id, book_id FROM transactions WHERE json IS DISTINCT FROM ${transactionJson}`,
  );
  if (repair) {
    // Any update of a row makes the engine render its JSON anew.
    for (const { id, book_id } of stale)
      yield* run(
        sql`UPDATE transactions SET date = date WHERE book_id = ${book_id} AND id = ${id}`,
      );
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
function* checkTags(repair: boolean, dialect: Dialect): Operation<Finding[]> {
  const differences = yield* rows<TagDifference>(sql`
    SELECT id, book_id, kept, actual FROM (
      SELECT t.id, t.book_id,
        (SELECT coalesce(string_agg(tag, ','), '') FROM (SELECT k.tag_id || '@' || k.date AS tag
          FROM transaction_tags k WHERE k.book_id = t.book_id AND k.transaction_id = t.id ORDER BY tag) k) AS kept,
        (SELECT coalesce(string_agg(tag, ','), '') FROM (SELECT j.value || '@' || t.date AS tag
          FROM ${dialect.integersOf(sql`t.tag_ids`)} ORDER BY tag) j) AS actual
      FROM transactions t
      WHERE t.tag_ids <> '[]' OR t.id IN (SELECT transaction_id FROM transaction_tags k WHERE k.book_id = t.book_id)
    ) tags WHERE kept <> actual`);
  if (repair) for (const difference of differences) yield* repairTags(difference, dialect);
  if (repair) yield* raiseVersions(differences.map(({ book_id }) => book_id));
  return differences.map(({ id, kept, actual }) =>
    finding(
      'transaction_tags',
      `Transaction ${id} has the tags "${actual}", but "${kept}" are indexed`,
      repair,
    ),
  );
}

function* repairTags(
  { id, book_id }: { id: number; book_id: number },
  dialect: Dialect,
): Operation<void> {
  yield* run(
    sql`DELETE FROM transaction_tags WHERE book_id = ${book_id} AND transaction_id = ${id}`,
  );
  yield* run(sql`
    INSERT INTO transaction_tags (book_id, tag_id, date, transaction_id)
    SELECT t.book_id, j.value, t.date, t.id FROM transactions t, ${dialect.integersOf(sql`t.tag_ids`)}
    WHERE t.book_id = ${book_id} AND t.id = ${id}`);
}

/** Both sides are records that a person wrote, so the doctor can tell that they disagree but not which is right. */
function* checkSplits(): Operation<Finding[]> {
  const wrong = yield* rows<{ id: number; amount: string; parts: string | null }>(sql`
    SELECT id, CAST(amount AS TEXT) AS amount, CAST(parts AS TEXT) AS parts FROM (
      SELECT t.id, t.amount, (SELECT CAST(sum(c.amount) AS BIGINT) FROM transactions c
        WHERE c.book_id = t.book_id AND c.split_parent_id = t.id) AS parts
      FROM transactions t WHERE t.is_split_parent = 1) splits
    WHERE parts IS DISTINCT FROM amount`);
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
