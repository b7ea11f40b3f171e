import { isUtf8 } from 'node:buffer';
import sql, { join, raw } from 'sql-template-tag';
import { sqliteDialect } from '../db/dialect.ts';
import type { Dialect } from '../db/dialect.ts';
import { rows } from '../db/engine.ts';
import type { Steps } from '../db/engine.ts';
import { keyOf } from '../db/table.ts';
import type { Held, Table } from '../db/table.ts';
import { exchangeRates } from '../db/tables/tables.ts';
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
const forms: Readonly<Partial<Record<Held, Pick<Formed, 'check' | 'form' | 'isRight'>>>> = {
  day: { check: 'dates', form: 'a valid date', isRight: isCalendarDate },
  month: { check: 'dates', form: 'a valid month', isRight: (text) => isCalendarDate(`${text}-01`) },
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
