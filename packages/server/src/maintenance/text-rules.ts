import { isUtf8 } from 'node:buffer';
import sql, { join, raw } from 'sql-template-tag';
import type { Sql } from 'sql-template-tag';
import { sqliteDialect } from '../db/dialect.ts';
import type { Dialect } from '../db/dialect.ts';
import { rows } from '../db/engine.ts';
import type { Steps } from '../db/engine.ts';
import type { Table } from '../db/table.ts';
import { manualAccounts, transactions } from '../db/tables.ts';
import { isCalendarDate } from '../../../core/src/dates.ts';
import { Findings, findingsOf, listedFindings } from './finding.ts';
import type { Finding } from './finding.ts';
import { everyTable, nextRows, storageKey } from './tables.ts';

const mostWrongDates = 500;

/** Checks the contents of text columns, which SQL cannot do on both engines. */
export function* checkTexts(dialect: Dialect): Steps<Finding[]> {
  return [
    // PostgreSQL refuses invalid UTF-8.
    ...(dialect === sqliteDialect ? yield* checkUtf8() : []),
    ...(yield* checkMetadata()),
    ...(yield* checkDates()),
    ...(yield* checkNames('category', sql`categories`)),
    ...(yield* checkNames('tag', sql`tags`)),
  ];
}

/** SQLite stores any bytes as text, and pages would send them to clients unchanged. */
function* checkUtf8(): Steps<Finding[]> {
  const findings = new Findings('text');
  for (const table of everyTable) {
    const key = storageKey(table, 'sqlite');
    const texts = Object.keys(table.columns).filter((name) => table.columns[name]!.type === 'text');
    // Line feeds separate the texts, so that the end of one and the start of the next cannot form a character.
    const text = raw(`CAST(concat_ws(char(10), ${["''", ...texts].join(', ')}) AS BLOB) AS bytes`);
    const columns = sql`${raw(key.join(', '))}, ${text}`;
    let found: Readonly<Record<string, unknown>>[] = [];
    do {
      found = yield* nextRows(table, { columns }, found.at(-1));
      for (const { bytes, ...named } of found) {
        if (isUtf8(bytes as Buffer)) continue;
        const place = `Row ${Object.values(named).join(', ')} of ${table.name}`;
        findings.add(`${place} has text that is not UTF-8`);
      }
    } while (found.length > 0);
  }
  return findings.list();
}

/** Checks JSON from clients, which pages return unchanged. */
function* checkMetadata(): Steps<Finding[]> {
  return [
    ...(yield* checkJson('transaction', transactions, ['plaid_metadata', 'custom_metadata'])),
    ...(yield* checkJson('manual account', manualAccounts, ['custom_metadata'])),
  ];
}

function* checkJson(what: string, table: Table, names: readonly string[]): Steps<Finding[]> {
  const findings = new Findings('metadata');
  const columns = raw(['book_id', 'id', ...names].join(', '));
  const where = sql`coalesce(${raw(names.join(', '))}, NULL) IS NOT NULL`;
  let found: Readonly<Record<string, unknown>>[] = [];
  do {
    found = yield* nextRows(table, { columns, where }, found.at(-1));
    for (const each of found) {
      const wrong = names.filter((name) => each[name] !== null && !isJson(each[name] as string));
      for (const name of wrong)
        findings.add(`The ${name} of ${what} ${String(each['id'])} is not valid JSON`);
    }
  } while (found.length > 0);
  return findings.list();
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function* checkDates(): Steps<Finding[]> {
  return [
    ...(yield* checkDatesOf('transaction', sql`transactions`, sql`date`)),
    ...(yield* checkDatesOf('manual account', sql`manual_accounts`, sql`closed_on`)),
    ...(yield* checkDatesOf('plaid account', sql`plaid_accounts`, sql`date_linked`)),
    ...(yield* checkDatesOf('plaid account', sql`plaid_accounts`, sql`import_start_date`)),
  ];
}

function* checkDatesOf(name: string, table: Sql, column: Sql): Steps<Finding[]> {
  const dates = yield* rows<{ date: string }>(
    sql`SELECT DISTINCT ${column} AS date FROM ${table} WHERE ${column} IS NOT NULL`,
  );
  const wrong = dates.map(({ date }) => date).filter((date) => !isCalendarDate(date));
  if (wrong.length === 0) return [];
  const found = yield* rows<{ id: number; date: string; total: number }>(sql`
    SELECT id, ${column} AS date, count(*) OVER () AS total FROM ${table}
    WHERE ${column} IN (${join(wrong.slice(0, mostWrongDates))}) ORDER BY book_id, id LIMIT ${listedFindings}`);
  const details = found.map(
    ({ id, date }) => `The ${column.sql} of ${name} ${id} is "${date}", which is not a valid date`,
  );
  return findingsOf('dates', details, { total: found[0]?.total ?? 0 });
}

/** Compares names like imports do: ignoring case and the spaces around them. */
function* checkNames(name: string, table: Sql): Steps<Finding[]> {
  const findings = new Findings('names');
  const known = new Map<string, number>();
  const found = yield* rows<{ book_id: number; id: number; name: string }>(
    sql`SELECT book_id, id, name FROM ${table} ORDER BY book_id, id`,
  );
  for (const each of found) {
    const key = `${each.book_id} ${each.name.trim().toLowerCase()}`;
    const other = known.get(key);
    if (other === undefined) known.set(key, each.id);
    else
      findings.add(
        `The name "${each.name}" of ${name} ${each.id} is already the name of ${name} ${other}`,
      );
  }
  return findings.list();
}
