import sql, { join, raw, type Sql } from 'sql-template-tag';
import type { RecordKind, RecordRule } from '../book/record.ts';
import { rows, type Steps } from '../db/engine.ts';
import { keyOf, type Table, type Values } from '../db/table.ts';
import { bookTables, manualAccounts, recurringItems, transactions } from '../db/tables/tables.ts';
import { ledgerRecords } from '../ledger/records.ts';
import { currencies } from '../operations/currencies.ts';
import { Findings, findingsOf, listedFindings, type Finding } from './finding.ts';
import { everyTable, movedTables, nextId, nextRows } from './tables.ts';

/** Checks the records against each other: by the rules of each kind, and by what their descriptions say. */
export function* checkRecords(): Steps<Finding[]> {
  const own = ledgerRecords.flatMap(({ rules }) => rules);
  const valued = ledgerRecords.filter(({ table }) => 'to_base' in table.columns);
  const currencyRules = everyTable.flatMap(rulesOfCurrencies);
  return yield* checkRules([...own, ...valued.map(ruleOfValues), ...currencyRules]);
}

/** Returns the findings of rules. */
function* checkRules(rules: readonly RecordRule[]): Steps<Finding[]> {
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

/**
 * Finds rows that name a record of another table which does not exist. Not all of these columns are foreign keys.
 * Transactions and recurring items keep the id of a manual account that was deleted.
 */
export function* checkReferences(): Steps<Finding[]> {
  const next = yield* nextId(manualAccounts);
  const rules = bookTables.flatMap((table): RecordRule[] =>
    Object.entries(table.columns).flatMap(([name, { references }]): RecordRule[] => {
      // Parents have rules of their own. Early schemas had numbers of recurring items before there were any.
      if (references === undefined || references === table.name || name === 'recurring_id')
        return [];
      const id = raw(`t.${table.key[0]}`);
      const named = raw(`t.${name}`);
      const keepsDeleted = table === transactions || table === recurringItems;
      const isWrong =
        keepsDeleted && references === manualAccounts.name
          ? sql`(${named} >= ${next} OR ${named} IN (SELECT id FROM manual_accounts))`
          : sql`1 = 1`;
      return [
        {
          check: 'references',
          broken: sql`
            SELECT t.book_id, ${id} AS id, ${`The ${name} of row `} || ${id} || ${` of ${table.name} is `} || ${named}
              || ${`, which does not exist in ${references}`} AS detail
            FROM ${raw(table.name)} t WHERE ${named} IS NOT NULL AND NOT EXISTS (
              SELECT 1 FROM ${raw(references)} r WHERE r.book_id = t.book_id AND r.id = ${named}) AND ${isWrong}`,
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

const logCheck = 'change log';

/**
 * Checks the change log. After the `pruned_version` of a book it has every version up to that of the book, except
 * version 1, with which a book begins. Lines of pruned versions may be left: the next pruning deletes them.
 */
export function* checkLog(): Steps<Finding[]> {
  const rules = logRules.map((broken) => ({ check: logCheck, broken }));
  return [...(yield* checkRules(rules)), ...(yield* checkDiffs())];
}

/** Statements that return `book_id`, `id` and the sentence `detail` for every row that breaks a rule. */
const logRules: readonly Sql[] = [
  sql`
    SELECT r.book_id, r.version AS id, 'Change ' || r.version || ' of book ' || r.book_id || ' is missing, but its '
      || 'record ' || r.place || ' exists' AS detail
    FROM changed_records r JOIN books b ON b.id = r.book_id
      LEFT JOIN changes c ON c.book_id = r.book_id AND c.version = r.version
    WHERE c.version IS NULL AND r.version > b.pruned_version`,
  sql`
    SELECT book_id, version AS id, 'Record ' || place || ' of change ' || version || ' of book ' || book_id
      || ' covers the ids ' || first_id || ' to ' || last_id AS detail
    FROM changed_records WHERE first_id < 1 OR first_id > last_id`,
  sql`
    SELECT book_id, version AS id, 'Record ' || place || ' of change ' || version || ' of book ' || book_id
      || ' is of the unknown table "' || record || '"' AS detail
    FROM changed_records WHERE record NOT IN (${join(bookTables.map(({ name }) => name))})`,
  sql`
    SELECT book_id, version AS id, 'Record ' || place || ' of change ' || version || ' of book ' || book_id
      || CASE repeats WHEN 0 THEN ' is not marked as a further one of ' ELSE ' is marked as a further one of ' END
      || record AS detail
    FROM (
      SELECT r.*, row_number() OVER (PARTITION BY book_id, version, record ORDER BY place) AS nth
      FROM changed_records r
    ) numbered WHERE repeats <> CASE nth WHEN 1 THEN 0 ELSE 1 END`,
  sql`
    SELECT c.book_id, c.version AS id, 'Change ' || c.version || ' of book ' || c.book_id || ' has ' || count(r.place)
      || ' records, but their places end at ' || coalesce(max(r.place), -1) AS detail
    FROM changes c LEFT JOIN changed_records r ON r.book_id = c.book_id AND r.version = c.version
    GROUP BY c.book_id, c.version
    HAVING count(r.place) <> coalesce(max(r.place), -1) + 1`,
  sql`
    SELECT c.book_id, c.version AS id, 'Change ' || c.version || ' of book ' || c.book_id
      || ' has no records' AS detail
    FROM changes c WHERE c.operation <> 'doctor' AND NOT EXISTS (
      SELECT 1 FROM changed_records r WHERE r.book_id = c.book_id AND r.version = c.version)`,
  sql`
    SELECT c.book_id, c.version AS id, 'Change ' || c.version || ' of book ' || c.book_id
      || ' exists, although versions up to ' || b.pruned_version || ' were pruned' AS detail
    FROM changes c JOIN books b ON b.id = c.book_id WHERE c.version <= b.pruned_version`,
  sql`
    SELECT book_id, version AS id, 'Change ' || version || ' of book ' || book_id || ' follows version ' || previous
      || CASE WHEN previous = version - 1 THEN ', but is earlier: ' || at || ' is before ' || earlier
         ELSE ': versions are missing' END AS detail
    FROM (
      SELECT c.book_id, c.version, c.at, lag(c.at) OVER versions AS earlier,
        coalesce(lag(c.version) OVER versions,
          CASE b.pruned_version WHEN 0 THEN 1 ELSE b.pruned_version END) AS previous
      FROM changes c JOIN books b ON b.id = c.book_id WHERE c.version > b.pruned_version
      WINDOW versions AS (PARTITION BY c.book_id ORDER BY c.version)
    ) followed WHERE previous <> version - 1 OR earlier > at`,
  sql`
    SELECT book_id, version AS id, 'Change ' || version || ' of book ' || book_id || ' undoes version ' || undoes
      || ', which is not earlier' AS detail
    FROM changes WHERE undoes >= version OR undoes < 1`,
  sql`
    SELECT b.id AS book_id, b.id, 'Book ' || b.id || ' has version ' || b.version || ' at ' || b.changed_at
      || ', but its log ends with version ' || c.version || ' at ' || c.at AS detail
    FROM books b JOIN (
      SELECT p.id, coalesce(max(c.version), CASE p.pruned_version WHEN 0 THEN 1 ELSE p.pruned_version END) AS version,
        coalesce(max(c.at), p.changed_at) AS at
      FROM books p LEFT JOIN changes c ON c.book_id = p.id GROUP BY p.id, p.pruned_version, p.changed_at
    ) c ON c.id = b.id
    WHERE b.version <> c.version OR b.changed_at < c.at`,
];

const lines = movedTables.find(({ name }) => name === 'changed_records')!;
const tables = new Map(bookTables.map((table) => [table.name, table]));

interface Line extends Record<string, unknown> {
  readonly book_id: number;
  readonly version: number;
  readonly place: number;
  readonly record: string;
  readonly kind: string;
  readonly diff: string | null;
}

/** Checks that each line has what an undo needs, which SQL cannot do on both engines. */
function* checkDiffs(): Steps<Finding[]> {
  const findings = new Findings(logCheck);
  const columns = raw('book_id, version, place, record, kind, diff');
  let found: Line[] = [];
  do {
    found = yield* nextRows<Line>(lines, { columns }, found.at(-1));
    for (const line of found) {
      const problem = problemOf(line);
      if (problem === null) continue;
      findings.add(
        `Record ${line.place} of change ${line.version} of book ${line.book_id} ${problem}`,
      );
    }
  } while (found.length > 0);
  return findings.list();
}

function problemOf({ record, kind, diff }: Line): string | null {
  const table = tables.get(record);
  if (table === undefined) return null;
  const rest = table.key.slice(1);
  if (diff === null)
    return kind === 'made' && rest.length === 0 ? null : `has no values, but is "${kind}"`;
  const values = parsed(diff);
  if (values === null) return 'is not a JSON object';
  const unknown = Object.keys(values).find((name) => !(name in table.columns));
  if (unknown !== undefined) return `has the unknown column "${unknown}" of ${record}`;
  const missing = rest.find((name) => !(name in values));
  if (missing !== undefined) return `has no value of ${missing}`;
  const wrong = Object.keys(values).find((name) => kind === 'changed' && !isPair(values[name]));
  return wrong === undefined ? null : `has no values of ${wrong} before and after`;
}

function parsed(text: string): Values | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && !Array.isArray(value) ? (value as Values | null) : null;
  } catch {
    return null;
  }
}

function isPair(value: unknown): boolean {
  return Array.isArray(value) && value.length === 2;
}
