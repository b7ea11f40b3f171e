import sql, { empty, join } from 'sql-template-tag';
import type { Sql } from 'sql-template-tag';
import { rows } from '../db/engine.ts';
import type { Steps } from '../db/engine.ts';
import { currencies } from '../wire/currencies.ts';
import { findingsOf, listedFindings } from './finding.ts';
import type { Finding } from './finding.ts';

/** Checks the records against each other. */
export function* checkRecords(): Steps<Finding[]> {
  return yield* checkRules(recordRules);
}

/** Returns the findings of rules. */
export function* checkRules(rules: readonly RecordRule[]): Steps<Finding[]> {
  const findings: Finding[] = [];
  for (const { check, broken } of rules) {
    const found = yield* rows<{ detail: string; total: number }>(sql`
      SELECT detail, count(*) OVER () AS total FROM (${broken}) broken ORDER BY book_id, id LIMIT ${listedFindings}`);
    const details = found.map(({ detail }) => detail);
    findings.push(...findingsOf(check, details, { total: found[0]?.total ?? 0 }));
  }
  return findings;
}

/** A statement that returns `book_id`, `id` and the sentence `detail` for every row that breaks a rule. */
export interface RecordRule {
  readonly check: string;
  readonly broken: Sql;
}

/** Rules about one row, or two rows of one book, that no constraint of the tables enforces. */
const recordRules: readonly RecordRule[] = [
  {
    check: 'splits',
    broken: sql`
      SELECT book_id, id, 'Transaction ' || id || ' has the amount ' || amount || ' (ten-thousandths), but its parts '
        || coalesce('total ' || parts, 'are missing') AS detail
      FROM (
        SELECT t.book_id, t.id, t.amount, (SELECT CAST(sum(c.amount) AS BIGINT) FROM transactions c
          WHERE c.book_id = t.book_id AND c.split_parent_id = t.id) AS parts
        FROM transactions t WHERE t.is_split_parent = 1) splits
      WHERE parts IS DISTINCT FROM amount`,
  },
  parents('split parents', sql`split_parent_id`, sql`is_split_parent`, 'a split parent'),
  parents('group parents', sql`group_parent_id`, sql`is_group_parent`, 'a group parent'),
  {
    check: 'to_base',
    broken: sql`
      SELECT t.book_id, t.id, 'Transaction ' || t.id || ' has the amount ' || t.amount || ' (ten-thousandths) in the '
        || 'currency of its book, but its to_base is ' || t.to_base AS detail
      FROM transactions t JOIN books b ON b.id = t.book_id
      WHERE t.to_base <> t.amount AND t.currency = b.primary_currency`,
  },
  unknownCurrencies('Transaction', sql`transactions`, sql`currency`),
  unknownCurrencies('Manual account', sql`manual_accounts`, sql`currency`),
  unknownCurrencies('Plaid account', sql`plaid_accounts`, sql`currency`),
  unknownCurrencies('Book', sql`books`, sql`primary_currency`, sql`id`),
  {
    check: 'category groups',
    broken: sql`
      SELECT c.book_id, c.id, 'Category ' || c.id || CASE
          WHEN g.id = c.id THEN ' is its own group'
          WHEN c.is_group = 1 THEN ' is a group, but is in the group ' || g.id
          ELSE ' is in category ' || g.id || ', which is not a group' END AS detail
      FROM categories c JOIN categories g ON g.book_id = c.book_id AND g.id = c.group_id
      WHERE g.id = c.id OR c.is_group = 1 OR g.is_group = 0`,
  },
  {
    check: 'category groups',
    broken: sql`
      SELECT book_id, id, 'Category ' || id || ' is collapsed, but is not a group' AS detail
      FROM categories WHERE collapsed = 1 AND is_group = 0`,
  },
  {
    check: 'category groups',
    broken: sql`
      SELECT t.book_id, t.id, 'Transaction ' || t.id || ' has the category ' || c.id || ', which is a group' AS detail
      FROM categories c JOIN transactions t ON t.book_id = c.book_id AND t.category_id = c.id
      WHERE c.is_group = 1`,
  },
];

/** Finds rows whose parent is missing or not marked as a parent. */
function parents(check: string, parentId: Sql, isParent: Sql, name: string): RecordRule {
  const broken = sql`
    SELECT c.book_id, c.id, 'Transaction ' || c.id || ' belongs to transaction ' || c.${parentId} || CASE
        WHEN p.id IS NULL THEN ', which does not exist' ELSE ${`, which is not marked as ${name}`} END AS detail
    FROM transactions c LEFT JOIN transactions p ON p.book_id = c.book_id AND p.id = c.${parentId}
    WHERE c.${parentId} IS NOT NULL AND coalesce(p.${isParent}, 0) = 0`;
  return { check, broken };
}

function unknownCurrencies(name: string, table: Sql, column: Sql, bookId?: Sql): RecordRule {
  const book = bookId === undefined ? empty : sql`${bookId} AS `;
  const broken = sql`
    SELECT ${book}book_id, id,
      ${`${name} `} || id || ' has the unknown currency "' || ${column} || '"' AS detail
    FROM ${table} WHERE ${column} NOT IN (${join(Object.keys(currencies))})`;
  return { check: 'currencies', broken };
}
