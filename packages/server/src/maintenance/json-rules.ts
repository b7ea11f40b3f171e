import { isId } from '@coffer/core/ids';
import sql, { raw } from 'sql-template-tag';
import { rows } from '../db/engine.ts';
import type { Steps } from '../db/engine.ts';
import { keyOf } from '../db/table.ts';
import type { Table } from '../db/table.ts';
import { importPreviewRows, importPreviews, importSettings } from '../db/tables/tables.ts';
import { passkeys, rules, webhooks } from '../db/tables/tables.ts';
import { Findings } from './finding.ts';
import type { Finding } from './finding.ts';
import { everyTable, nextRows } from './tables.ts';

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
  ['previews', 'row of preview', importPreviewRows, 'content', isObject],
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

/** Checks that the records exist that the JSON of rules names. */
function* checkNamedRecords(): Steps<Finding[]> {
  const findings = new Findings('rules');
  const known = new Map<string, Set<string>>();
  const all = yield* rows<{ book_id: number; id: number; conditions: string; actions: string }>(
    sql`SELECT book_id, id, conditions, actions FROM rules ORDER BY book_id, id`,
  );
  for (const { book_id, id, ...texts } of all)
    for (const column of ['conditions', 'actions'] as const) {
      if (problemOf(texts[column], column === 'actions' ? actions : conditions) !== null) continue;
      for (const [table, named] of rules.columns[column].named!.in(texts[column])) {
        if (!known.has(table)) known.set(table, yield* idsOf(table));
        if (!known.get(table)!.has(`${book_id} ${named}`))
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
