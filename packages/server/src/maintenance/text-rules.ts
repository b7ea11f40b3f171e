import { isUtf8 } from 'node:buffer';
import sql, { join, raw } from 'sql-template-tag';
import { sqliteDialect, type Dialect } from '../db/dialect.ts';
import { rows, type Steps } from '../db/engine.ts';
import { keyOf, type ColumnContent, type Table } from '../db/table.ts';
import {
  exchangeRates,
  importPreviewEntries,
  importPreviews,
  importSettings,
  manualAccounts,
  passkeys,
  rules,
  webhooks,
} from '../db/tables/tables.ts';
import { isCalendarDate } from '@coffer/core/dates';
import { quote } from '@coffer/core/text';
import { Findings, findingsOf, listedFindings, type Finding } from './finding.ts';
import { everyTable, nextId, nextRows, storageKey } from './tables.ts';
import { isId } from '@coffer/core/ids';

const mostWrongTexts = 500;

/** Checks the contents of text columns, which SQL cannot do on both engines. */
export function* checkTexts(dialect: Dialect): Steps<Finding[]> {
  return [
    // PostgreSQL refuses invalid UTF-8.
    ...(dialect === sqliteDialect ? yield* checkUtf8() : []),
    ...(yield* checkForms()),
    ...(yield* checkNames()),
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

/** A column of text in a form that SQL cannot check. */
interface Formed {
  readonly check: string;
  readonly table: Table;
  readonly column: string;
  /** What a text must be. */
  readonly form: string;
  readonly isRight: (text: string) => boolean;
}

/** The forms of texts, by what a column holds. */
const forms: Readonly<Partial<Record<ColumnContent, Pick<Formed, 'check' | 'form' | 'isRight'>>>> =
  {
    day: { check: 'dates', form: 'a valid date', isRight: isCalendarDate },
    month: {
      check: 'dates',
      form: 'a valid month',
      isRight: (text) => isCalendarDate(`${text}-01`),
    },
    quantity: { check: 'quantities', form: 'a quantity', isRight: isSignedQuantity },
  };

function* checkForms(): Steps<Finding[]> {
  const formed = everyTable.flatMap((table) =>
    Object.entries(table.columns).flatMap(([column, { holds }]): Formed[] => {
      const form = holds && forms[holds];
      return form === undefined ? [] : [{ ...form, table, column }];
    }),
  );
  const rate = { check: 'rates', form: 'a rate above zero', isRight: isRate };
  const found: Finding[] = [];
  for (const each of [...formed, { ...rate, table: exchangeRates, column: 'per_eur' }])
    found.push(...(yield* checkForm(each)));
  return found;
}

function isRate(text: string): boolean {
  return /^[0-9]+(\.[0-9]+)?$/.test(text) && /[1-9]/.test(text);
}

function isSignedQuantity(text: string): boolean {
  return /^-?[0-9]+(\.[0-9]+)?$/.test(text);
}

function* checkForm({ check, table, column, form, isRight }: Formed): Steps<Finding[]> {
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
    return `The ${column} of ${table.noun} ${at} is ${quote(String(row['text']))}, which is not ${form}`;
  });
  return findingsOf(check, details, { total: found[0]?.total ?? 0 });
}

/** Compares names like imports do: ignoring case and the spaces around them. */
function* checkNames(): Steps<Finding[]> {
  const findings = new Findings('names');
  for (const { name: table, noun, unique } of everyTable)
    for (const column of unique) {
      const known = new Map<string, number>();
      const found = yield* rows<{ book_id: number; id: number; name: string }>(
        sql`SELECT book_id, id, ${raw(column)} AS name FROM ${raw(table)} ORDER BY book_id, id`,
      );
      for (const { book_id, id, name } of found) {
        const key = `${book_id} ${name.trim().toLowerCase()}`;
        const other = known.get(key);
        if (other === undefined) known.set(key, id);
        else
          findings.add(
            `The ${column} "${name}" of ${noun} ${id} is already the ${column} of ${noun} ${other}`,
          );
      }
    }
  return findings.list();
}

/** Whether a value that was parsed has the form that the program reads. */
type Form = (value: unknown) => boolean;

const anything: Form = () => true;
const isObject: Form = (value) =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isText: Form = (value) => typeof value === 'string';
const isFlag: Form = (value) => typeof value === 'boolean';
const isSize: Form = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const isAnId: Form = (value) => typeof value === 'number' && isId(value);

const listOf =
  (form: Form, least = 0): Form =>
  (value) =>
    Array.isArray(value) && value.length >= least && value.every(form);

/** An object that has only these properties, at least one of them, and no other form of them. */
const objectOf =
  (forms: Readonly<Record<string, Form>>, least = 1): Form =>
  (value) =>
    isObject(value) &&
    Object.keys(value as object).length >= least &&
    Object.entries(value as object).every(([name, each]) => forms[name]?.(each) === true);

const comparison = objectOf({ operator: isText, value: isText }, 2);
const conditions = objectOf({
  payee: comparison,
  notes: comparison,
  amount: objectOf({ equals: isSize, min: isSize, max: isSize, sign: isText }),
  manual_account_id: isAnId,
  plaid_account_id: isAnId,
  category_id: isAnId,
});
const changes = { payee: isText, category_id: isAnId, notes: isText };
const part = objectOf({ ...changes, amount: isSize, percentage: isSize }, 0);
const actions = objectOf({
  ...changes,
  tag_ids: listOf(isAnId, 1),
  reviewed: isFlag,
  exclude: isFlag,
  split: listOf(part, 2),
});

/** A column with JSON, and what a row of its table is called. */
type Column = readonly [check: string, what: string, table: Table, column: string, form: Form];

const columns: readonly Column[] = [
  ...everyTable.flatMap((table) => metadataOf(table)),
  ['rules', 'rule', rules, 'conditions', conditions],
  ['rules', 'rule', rules, 'actions', actions],
  ['settings', 'webhook', webhooks, 'records', listOf(isText)],
  ['settings', 'webhook', webhooks, 'kinds', listOf(isText)],
  ['settings', 'passkey', passkeys, 'transports', listOf(isText)],
  ['settings', 'settings of imports', importSettings, 'settings', isObject],
  ['previews', 'preview', importPreviews, 'options', isObject],
  ['previews', 'preview', importPreviews, 'report', isObject],
  ['previews', 'preview', importPreviewEntries, 'entries', listOf(isObject)],
  ['previews', 'preview', importPreviewEntries, 'decisions', anything],
];

/** Columns with any JSON. Those that name records have rules of their own. */
function metadataOf(table: Table): Column[] {
  return Object.entries(table.columns)
    .filter(([, { holds, named }]) => holds === 'json' && named === undefined)
    .map(([name]) => ['metadata', table.noun, table, name, anything]);
}

/** Checks columns with JSON: the program parses them, and pages return metadata unchanged. */
export function* checkJsonColumns(): Steps<Finding[]> {
  const found: Finding[] = [];
  for (const column of columns) found.push(...(yield* checkColumn(column)));
  return [...found, ...(yield* checkNamedRecords())];
}

function* checkColumn([check, what, table, column, form]: Column): Steps<Finding[]> {
  const findings = new Findings(check);
  const key = keyOf(table);
  const place = key.filter((each) => key.length === 1 || each !== 'book_id');
  const selection = {
    columns: raw([...new Set([...key, column])].join(', ')),
    where: sql`${raw(column)} IS NOT NULL`,
  };
  let found: Readonly<Record<string, unknown>>[] = [];
  do {
    found = yield* nextRows(table, selection, found.at(-1));
    for (const row of found) {
      const problem = problemOf(row[column] as string, form);
      const at = place.map((each) => String(row[each])).join(', ');
      if (problem !== null) findings.add(`The ${column} of ${what} ${at} ${problem}`);
    }
  } while (found.length > 0);
  return findings.list();
}

function problemOf(text: string, form: Form): string | null {
  try {
    return form(JSON.parse(text))
      ? null
      : 'cannot be read: it has another form than the program writes';
  } catch {
    return 'cannot be read as JSON';
  }
}

/** Checks that the records exist that the JSON of rules names. Rules keep the id of a deleted manual account. */
function* checkNamedRecords(): Steps<Finding[]> {
  const findings = new Findings('rules');
  const accounts = yield* rows<{ id: number }>(sql`SELECT id FROM manual_accounts`);
  const [there, next] = [new Set(accounts.map(({ id }) => id)), yield* nextId(manualAccounts)];
  const wasDeleted = (table: string, id: number): boolean =>
    table === manualAccounts.name && id < next && !there.has(id);
  const known = new Map<string, Set<string>>();
  const all = yield* rows<{ book_id: number; id: number; conditions: string; actions: string }>(
    sql`SELECT book_id, id, conditions, actions FROM rules ORDER BY book_id, id`,
  );
  for (const { book_id, id, ...texts } of all)
    for (const column of ['conditions', 'actions'] as const) {
      if (problemOf(texts[column], column === 'actions' ? actions : conditions) !== null) continue;
      for (const [table, named] of rules.columns[column].named!.in(texts[column])) {
        if (!known.has(table)) known.set(table, yield* idsOf(table));
        if (!known.get(table)!.has(`${book_id} ${named}`) && !wasDeleted(table, named))
          findings.add(
            `The ${column} of rule ${id} name ${named} of ${table}, which does not exist`,
          );
      }
    }
  return findings.list();
}

function* idsOf(table: string): Steps<Set<string>> {
  const found = yield* rows<{ book_id: number; id: number }>(
    sql`SELECT book_id, id FROM ${raw(table)}`,
  );
  return new Set(found.map(({ book_id, id }) => `${book_id} ${id}`));
}
