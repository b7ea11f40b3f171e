import sql, { join, raw } from 'sql-template-tag';
import type { Sql } from 'sql-template-tag';
import { rows } from '../db/engine.ts';
import type { Steps } from '../db/engine.ts';
import { bookTables } from '../db/tables/tables.ts';
import { currencies } from '../operations/currencies.ts';
import { findingsOf, listedFindings } from './finding.ts';
import type { Finding } from './finding.ts';
import { everyTable } from './tables.ts';

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

/** Times are ISO 8601 in UTC with milliseconds, everywhere. */
const timeColumn = /(^|_)(at|as_of)$|^last_(import|fetch|read)$|_last(_successful)?_update$/;

/** Finds times that are none. One query for each table, which reads its rows once. */
export function* checkTimes(): Steps<Finding[]> {
  const rules = everyTable.flatMap((table): RecordRule[] => {
    const names = Object.keys(table.columns).filter((name) => timeColumn.test(name));
    return names.map((name) => {
      const time = raw(name);
      const [id = 'id', ...more] = table.key;
      const place = [id, ...more].map((each) => `CAST(${each} AS TEXT)`).join(` || ', ' || `);
      return {
        check: 'times',
        broken: sql`
          SELECT ${raw(id)} AS book_id, ${raw(id)} AS id, ${`The ${name} of row `} || ${raw(place)}
            || ${` of ${table.name} is "`} || ${time} || '", which is not a time' AS detail
          FROM ${raw(table.name)} WHERE ${time} NOT LIKE '____-__-__T__:__:__.___Z'
            OR substr(${time}, 1, 4) NOT BETWEEN '0000' AND '9999' OR substr(${time}, 6, 2) NOT BETWEEN '01' AND '12'
            OR substr(${time}, 9, 2) NOT BETWEEN '01' AND '31' OR substr(${time}, 12, 2) NOT BETWEEN '00' AND '23'`,
      };
    });
  });
  return yield* checkRules(rules);
}

/** Finds rows that name a record of another table which does not exist. Not all of these columns are foreign keys. */
export function* checkReferences(): Steps<Finding[]> {
  const rules = bookTables.flatMap((table): RecordRule[] =>
    Object.entries(table.columns).flatMap(([name, { references }]): RecordRule[] => {
      // Parents have rules of their own. Early schemas had numbers of recurring items before there were any.
      if (references === undefined || references === table.name || name === 'recurring_id')
        return [];
      const id = raw(`t.${table.key[0]}`);
      const named = raw(`t.${name}`);
      return [
        {
          check: 'references',
          broken: sql`
            SELECT t.book_id, ${id} AS id, ${`The ${name} of row `} || ${id} || ${` of ${table.name} is `} || ${named}
              || ${`, which does not exist in ${references}`} AS detail
            FROM ${raw(table.name)} t WHERE ${named} IS NOT NULL AND NOT EXISTS (
              SELECT 1 FROM ${raw(references)} r WHERE r.book_id = t.book_id AND r.id = ${named})`,
        },
      ];
    }),
  );
  return yield* checkRules(rules);
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
    check: 'group members',
    broken: sql`
      SELECT book_id, id, 'Transaction ' || id || ' is a group, but has no members' AS detail FROM transactions t
      WHERE is_group_parent = 1 AND NOT EXISTS (SELECT 1 FROM transactions c
        WHERE c.book_id = t.book_id AND c.group_parent_id = t.id)`,
  },
  values('Transaction', sql`transactions`, sql`amount`, {
    isConverted: sql`t.is_group_parent = 0 AND t.split_parent_id IS NULL`,
  }),
  // Movements add the values that they had at their own rates.
  values('Manual account', sql`manual_accounts`, sql`balance`, { isConverted: sql`1 = 0` }),
  values('Plaid account', sql`plaid_accounts`, sql`balance`, { isConverted: sql`1 = 0` }),
  values('Recurring item', sql`recurring_items`, sql`amount`),
  values('Balance history entry', sql`balance_history`, sql`balance`),
  values('Budget', sql`budgets`, sql`amount`, {
    id: sql`t.category_id`,
    place: sql`t.category_id || ' from ' || t.start_date`,
  }),
  unknownCurrencies('Transaction', sql`transactions`, sql`currency`),
  unknownCurrencies('Manual account', sql`manual_accounts`, sql`currency`),
  unknownCurrencies('Plaid account', sql`plaid_accounts`, sql`currency`),
  unknownCurrencies('Recurring item', sql`recurring_items`, sql`currency`),
  unknownCurrencies('Balance history entry', sql`balance_history`, sql`currency`),
  unknownCurrencies('Budget of category', sql`budgets`, sql`currency`, { id: sql`category_id` }),
  unknownCurrencies('Book', sql`books`, sql`primary_currency`, { bookId: sql`id` }),
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

/** Finds rows whose parent is missing, not marked as a parent, themselves, or has such a parent too. */
function parents(check: string, parentId: Sql, isParent: Sql, name: string): RecordRule {
  const broken = sql`
    SELECT c.book_id, c.id, 'Transaction ' || c.id || ' belongs to transaction ' || c.${parentId} || CASE
        WHEN p.id IS NULL THEN ', which does not exist'
        WHEN p.id = c.id THEN ', which is itself'
        WHEN coalesce(p.${isParent}, 0) = 0 THEN ${`, which is not marked as ${name}`}
        ELSE ', which belongs to transaction ' || p.${parentId} END AS detail
    FROM transactions c LEFT JOIN transactions p ON p.book_id = c.book_id AND p.id = c.${parentId}
    WHERE c.${parentId} IS NOT NULL
      AND (coalesce(p.${isParent}, 0) = 0 OR p.id = c.id OR p.${parentId} IS NOT NULL)`;
  return { check, broken };
}

/** How the rows of {@link values} differ from others. */
interface ValueOptions {
  readonly id?: Sql;
  readonly place?: Sql;
  /** Rows whose `to_base` is their own amount at one rate, and no sum. */
  readonly isConverted?: Sql;
}

/** Finds rows whose `to_base` cannot be the value of their amount: rates are above zero, and 1 in the same currency. */
function values(
  name: string,
  table: Sql,
  amount: Sql,
  { id = sql`t.id`, place = id, isConverted = sql`1 = 1` }: ValueOptions = {},
): RecordRule {
  const sameSign = sql`(t.to_base <= 0 OR t.${amount} >= 0) AND (t.to_base >= 0 OR t.${amount} <= 0)`;
  const broken = sql`
    SELECT t.book_id, ${id} AS id, ${`${name} `} || ${place} || ${` has the ${amount.sql} `} || t.${amount}
      || ' (ten-thousandths) in ' || CASE WHEN t.currency = b.primary_currency THEN 'the' ELSE 'another' END
      || ' currency ' || CASE WHEN t.currency = b.primary_currency THEN 'of' ELSE 'than' END
      || ' its book, but its to_base is ' || t.to_base AS detail
    FROM ${table} t JOIN books b ON b.id = t.book_id
    WHERE t.to_base <> t.${amount}
      AND (t.currency = b.primary_currency OR (${isConverted} AND NOT (${sameSign})))`;
  return { check: 'to_base', broken };
}

function unknownCurrencies(
  name: string,
  table: Sql,
  column: Sql,
  { bookId = sql`book_id`, id = sql`id` }: { readonly bookId?: Sql; readonly id?: Sql } = {},
): RecordRule {
  const broken = sql`
    SELECT ${bookId} AS book_id, ${id} AS id,
      ${`${name} `} || ${id} || ' has the unknown currency "' || ${column} || '"' AS detail
    FROM ${table} WHERE ${column} NOT IN (${join(Object.keys(currencies))})`;
  return { check: 'currencies', broken };
}
