import sql, { join, raw } from 'sql-template-tag';
import type { Sql } from 'sql-template-tag';
import type { Steps } from '../db/engine.ts';
import type { Values } from '../db/table.ts';
import { bookTables } from '../db/tables/tables.ts';
import { Findings } from './finding.ts';
import type { Finding } from './finding.ts';
import { checkRules } from './record-rules.ts';
import { movedTables, nextRows } from './tables.ts';

const check = 'change log';

/**
 * Checks the change log. After the `pruned_version` of a book it has every version up to that of the book, except
 * version 1, with which a book begins. Lines of pruned versions may be left: the next pruning deletes them.
 */
export function* checkLog(): Steps<Finding[]> {
  const rules = logRules.map((broken) => ({ check, broken }));
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
  const findings = new Findings(check);
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
