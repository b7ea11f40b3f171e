import sql, { join, raw } from 'sql-template-tag';
import type { Sql } from 'sql-template-tag';
import type { RecordKind, RecordRule } from '../book/record.ts';
import { rows } from '../db/engine.ts';
import type { Steps } from '../db/engine.ts';
import { keyOf } from '../db/table.ts';
import type { Table } from '../db/table.ts';
import { bookTables } from '../db/tables/tables.ts';
import { ledgerRecords } from '../ledger/records.ts';
import { currencies } from '../operations/currencies.ts';
import { findingsOf, listedFindings } from './finding.ts';
import type { Finding } from './finding.ts';
import { everyTable } from './tables.ts';

/** Checks the records against each other: by the rules of each kind, and by what their descriptions say. */
export function* checkRecords(): Steps<Finding[]> {
  const own = ledgerRecords.flatMap(({ rules }) => rules);
  const valued = ledgerRecords.filter(({ table }) => 'to_base' in table.columns);
  const currencyRules = everyTable.flatMap(rulesOfCurrencies);
  return yield* checkRules([...own, ...valued.map(ruleOfValues), ...currencyRules]);
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

/** What a row `t` of a table is called in a finding: its noun in upper case, and its key. */
function placeOf({ noun, key }: Table): Sql {
  const [first = '', ...rest] = key.map((name) => `t.${name}`);
  const name = `${noun.charAt(0).toUpperCase()}${noun.slice(1)} `;
  return sql`${name} || ${raw([first, ...rest].join(` || ' from ' || `))}`;
}

/** Finds rows whose `to_base` cannot be the value of their amount: rates are above zero, and 1 in the same currency. */
function ruleOfValues({ table, isConverted }: RecordKind): RecordRule {
  const amount = raw('amount' in table.columns ? 't.amount' : 't.balance');
  const sameSign = sql`(t.to_base <= 0 OR ${amount} >= 0) AND (t.to_base >= 0 OR ${amount} <= 0)`;
  const broken = sql`
    SELECT t.book_id, t.${raw(table.key[0]!)} AS id, ${placeOf(table)} || ${` has the ${amount.sql.slice(2)} `}
      || ${amount} || ' (ten-thousandths) in '
      || CASE WHEN t.currency = b.primary_currency THEN 'the currency of' ELSE 'another currency than' END
      || ' its book, but its to_base is ' || t.to_base AS detail
    FROM ${raw(table.name)} t JOIN books b ON b.id = t.book_id
    WHERE t.to_base <> ${amount}
      AND (t.currency = b.primary_currency OR (${isConverted} AND NOT (${sameSign})))`;
  return { check: 'to_base', broken };
}

/** Finds unknown currencies in the columns of a table that have one. */
function rulesOfCurrencies(table: Table): RecordRule[] {
  const columns = Object.keys(table.columns).filter(
    (name) => table.columns[name]?.holds === 'currency',
  );
  return columns.map((name) => ({
    check: 'currencies',
    broken: sql`
      SELECT t.${raw(keyOf(table)[0]!)} AS book_id, t.${raw(table.key[0]!)} AS id, ${placeOf(table)}
        || ' has the unknown currency "' || t.${raw(name)} || '"' AS detail
      FROM ${raw(table.name)} t WHERE t.${raw(name)} NOT IN (${join(Object.keys(currencies))})`,
  }));
}
