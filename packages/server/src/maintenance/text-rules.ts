import { isUtf8 } from 'node:buffer';
import sql, { join, raw } from 'sql-template-tag';
import type { Sql } from 'sql-template-tag';
import { sqliteDialect } from '../db/dialect.ts';
import type { Dialect } from '../db/dialect.ts';
import { rows } from '../db/engine.ts';
import type { Steps } from '../db/engine.ts';
import { keyOf } from '../db/table.ts';
import type { Table } from '../db/table.ts';
import { balanceHistory, budgets, budgetSettings, cryptoBalances } from '../db/tables/tables.ts';
import { exchangeRates, importForms, imports, manualAccounts } from '../db/tables/tables.ts';
import { manualCryptoAccounts, plaidAccounts, recordedMonths } from '../db/tables/tables.ts';
import { recurringItems, transactions } from '../db/tables/tables.ts';
import { isCalendarDate } from '@coffer/core/dates';
import { quote } from '@coffer/core/text';
import { Findings, findingsOf, listedFindings } from './finding.ts';
import type { Finding } from './finding.ts';
import { everyTable, nextRows, storageKey } from './tables.ts';

const mostWrongTexts = 500;

/** Checks the contents of text columns, which SQL cannot do on both engines. */
export function* checkTexts(dialect: Dialect): Steps<Finding[]> {
  return [
    // PostgreSQL refuses invalid UTF-8.
    ...(dialect === sqliteDialect ? yield* checkUtf8() : []),
    ...(yield* checkForms()),
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

/** A column of text in a form that SQL cannot check, and what a row of its table is called. */
type Column = readonly [what: string, table: Table, column: string];

const dateColumns: readonly Column[] = [
  ['transaction', transactions, 'date'],
  ['manual account', manualAccounts, 'closed_on'],
  ['plaid account', plaidAccounts, 'date_linked'],
  ['plaid account', plaidAccounts, 'import_start_date'],
  ['recurring item', recurringItems, 'start_date'],
  ['recurring item', recurringItems, 'end_date'],
  ['recurring item', recurringItems, 'anchor_date'],
  ['budget', budgets, 'start_date'],
  ['budget settings', budgetSettings, 'anchor_date'],
  ['exchange rate', exchangeRates, 'date'],
  ['import', imports, 'first_date'],
  ['import', imports, 'last_date'],
  ['import form', importForms, 'date'],
];

const monthColumns: readonly Column[] = [
  ['balance history entry', balanceHistory, 'month'],
  ['last month of book', recordedMonths, 'month'],
];

const quantityColumns: readonly Column[] = [
  ['manual crypto account', manualCryptoAccounts, 'quantity'],
  ['crypto balance', cryptoBalances, 'quantity'],
  ['balance history entry', balanceHistory, 'crypto_balance'],
];

function* checkForms(): Steps<Finding[]> {
  const found: Finding[] = [];
  const forms: readonly [string, string, readonly Column[], (value: string) => boolean][] = [
    ['dates', 'a valid date', dateColumns, isCalendarDate],
    ['dates', 'a valid month', monthColumns, (month) => isCalendarDate(`${month}-01`)],
    ['rates', 'a rate above zero', [['exchange rate', exchangeRates, 'per_eur']], isRate],
    ['quantities', 'a quantity', quantityColumns, isSignedQuantity],
  ];
  for (const [check, form, columns, isRight] of forms)
    for (const column of columns)
      found.push(...(yield* checkForm(check, column, `which is not ${form}`, isRight)));
  return found;
}

function isRate(text: string): boolean {
  return /^[0-9]+(\.[0-9]+)?$/.test(text) && /[1-9]/.test(text);
}

function isSignedQuantity(text: string): boolean {
  return /^-?[0-9]+(\.[0-9]+)?$/.test(text);
}

function* checkForm(
  check: string,
  [what, table, column]: Column,
  problem: string,
  isRight: (value: string) => boolean,
): Steps<Finding[]> {
  const name = raw(column);
  const texts = yield* rows<{ text: string }>(
    sql`SELECT DISTINCT ${name} AS text FROM ${raw(table.name)} WHERE ${name} IS NOT NULL`,
  );
  const wrong = texts.map(({ text }) => text).filter((text) => !isRight(text));
  if (wrong.length === 0) return [];
  const key = keyOf(table);
  const place = key.filter((each) => key.length === 1 || each !== 'book_id');
  const found = yield* rows<Readonly<Record<string, string | number>> & { total: number }>(sql`
    SELECT ${raw(place.join(', '))}, ${name} AS text, count(*) OVER () AS total FROM ${raw(table.name)}
    WHERE ${name} IN (${join(wrong.slice(0, mostWrongTexts))}) ORDER BY ${raw(key.join(', '))}
    LIMIT ${listedFindings}`);
  const details = found.map((row) => {
    const at = place.map((each) => row[each]).join(', ');
    return `The ${column} of ${what} ${at} is ${quote(String(row['text']))}, ${problem}`;
  });
  return findingsOf(check, details, { total: found[0]?.total ?? 0 });
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
