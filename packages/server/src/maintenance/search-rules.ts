import { quote } from '@coffer/core/text';
import sql, { raw } from 'sql-template-tag';
import { sumParts, sumKey, addTexts, foldedText, searchedText } from '../db/derived-tables.ts';
import { dialectOf, insertMany, run } from '../db/engine.ts';
import type { Steps } from '../db/engine.ts';
import { fillDerived, outdatedBooks, selectSums } from '../db/fill-derived.ts';
import { rowsAs } from '../db/rows.ts';
import { integer, text } from '../db/table.ts';
import { raiseVersions } from './derived-rules.ts';
import { Findings } from './finding.ts';
import type { Finding } from './finding.ts';
import { movedTables, nextRows } from './tables.ts';

/**
 * Fills the derived tables of books that lack a change of an older node. That is no fault: it happens before they are
 * read, too.
 */
export function* fillOutdated(): Steps<void> {
  for (const id of yield* outdatedBooks()) yield* fillDerived(id);
}

const textTable = movedTables.find(({ name }) => name === 'transaction_texts')!;

/** A text that a book has, or must have. */
interface BookText {
  readonly [column: string]: string | number;
  readonly book_id: number;
  readonly text: string;
  readonly is_payee: number;
}

/**
 * Compares `transaction_texts` with the payees and notes of the transactions. Texts that no row has any more are no
 * fault; a repair removes them.
 */
export function* checkSearchedTexts(repair: boolean): Steps<Finding[]> {
  const findings = new Findings('transaction_texts', { repaired: repair });
  const missing = yield* missingTexts();
  for (const { book_id, text } of missing)
    findings.add(`The text ${quote(text)} of book ${book_id} is missing`);
  const stale = yield* misfoldedTexts(findings);
  if (repair) {
    for (const { book_id, text } of stale)
      yield* run(sql`DELETE FROM transaction_texts WHERE book_id = ${book_id} AND text = ${text}`);
    for (const { book_id, text, is_payee } of [...missing, ...stale])
      yield* addTexts(book_id, new Map([[text, is_payee === 1]]));
    yield* removeUnused();
    yield* raiseVersions([...missing, ...stale]);
  }
  return findings.list();
}

function* missingTexts(): Steps<BookText[]> {
  const { byBytes } = yield* dialectOf();
  const found: BookText[] = [];
  for (const column of ['payee', 'notes']) {
    const stored = byBytes(searchedText(`t.${column}`));
    const is_payee = Number(column === 'payee');
    const texts = yield* rowsAs(
      { book_id: integer, text },
      sql`SELECT DISTINCT t.book_id, ${stored} AS text FROM transactions t JOIN books b ON b.id = t.book_id
          WHERE b.derived_version = b.version AND b.texts_version = b.version AND t.${raw(column)} IS NOT NULL
            AND NOT EXISTS (SELECT 1 FROM transaction_texts x
              WHERE x.book_id = t.book_id AND x.text = ${stored} AND x.is_payee >= ${is_payee})
          ORDER BY 1, 2`,
    );
    found.push(...texts.map((each) => ({ ...each, is_payee })));
  }
  return found;
}

/** Returns the texts whose folded form is not that of this program, of books whose texts are filled. */
function* misfoldedTexts(findings: Findings): Steps<BookText[]> {
  const filled = sql`SELECT id FROM books WHERE texts_version = version`;
  const ids = new Set((yield* rowsAs({ id: integer }, filled)).map(({ id }) => id));
  const stale: BookText[] = [];
  let found: BookText[] = [];
  do {
    found = yield* nextRows(textTable, {}, found.at(-1));
    for (const each of found) {
      if (!ids.has(each.book_id) || each['folded'] === foldedText(each.text)) continue;
      findings.add(`The text ${quote(each.text)} of book ${each.book_id} has a wrong folded form`);
      stale.push(each);
    }
  } while (found.length > 0);
  return stale;
}

function* removeUnused(): Steps<void> {
  const { byBytes } = yield* dialectOf();
  const uses = ['payee', 'notes'].map(
    (column) => sql`NOT EXISTS (SELECT 1 FROM transactions t
      WHERE t.book_id = transaction_texts.book_id AND t.${raw(column)} IS NOT NULL
        AND ${byBytes(searchedText(`t.${column}`))} = transaction_texts.text)`,
  );
  yield* run(sql`DELETE FROM transaction_texts WHERE ${uses[0]} AND ${uses[1]}`);
}

/** The sum of a month, category and account for which the table and the rows differ. */
const difference = {
  book_id: integer,
  month: text,
  category_id: integer,
  manual_account_id: integer,
  plaid_account_id: integer,
  stored: integer,
  listed: integer,
  ...sumParts,
};

/** Compares `transaction_sums` with the transactions. */
export function* checkSums(repair: boolean): Steps<Finding[]> {
  const findings = new Findings('transaction_sums', { repaired: repair });
  const inStep = sql`t.book_id IN (SELECT id FROM books WHERE derived_version = version)`;
  const key = raw(`book_id, ${sumKey.join(', ')}`);
  const different = yield* rowsAs(
    difference,
    sql`WITH actual AS (${selectSums(inStep)})
      SELECT ${key}, CAST(sum(stored) AS BIGINT) AS stored, CAST(sum(listed) AS BIGINT) AS listed,
        CAST(sum(high) AS BIGINT) AS high, CAST(sum(low) AS BIGINT) AS low FROM (
        SELECT ${key}, 0 AS stored, listed, high, low, 0 AS stored_high, 0 AS stored_low FROM actual
        UNION ALL
        SELECT ${key}, listed, 0, 0, 0, high, low FROM transaction_sums
        WHERE book_id IN (SELECT id FROM books WHERE derived_version = version)
      ) both_sums GROUP BY ${key}
      HAVING sum(stored) <> sum(listed) OR sum(stored_high) <> sum(high) OR sum(stored_low) <> sum(low)
        OR (sum(listed) = 0 AND count(*) > 0)
      ORDER BY ${key}`,
  );
  for (const { book_id, month, category_id, stored, listed } of different)
    findings.add(
      `Book ${book_id}, month ${month}, category ${category_id}: the stored sum of ${stored} rows is not that of ` +
        `the ${listed} rows`,
    );
  if (repair) yield* repairSums(different);
  return findings.list();
}

type Difference = Readonly<Record<(typeof sumKey)[number] | 'book_id', string | number>> & {
  readonly book_id: number;
  readonly listed: number;
  readonly high: number;
  readonly low: number;
};

function* repairSums(different: readonly Difference[]): Steps<void> {
  for (const { book_id, month, category_id, manual_account_id, plaid_account_id } of different)
    yield* run(sql`
      DELETE FROM transaction_sums WHERE book_id = ${book_id} AND month = ${month} AND category_id = ${category_id}
        AND manual_account_id = ${manual_account_id} AND plaid_account_id = ${plaid_account_id}`);
  yield* insertMany(
    'transaction_sums',
    ['book_id', ...sumKey, 'listed', 'high', 'low'],
    different
      .filter(({ listed }) => listed > 0)
      .map((each) => [
        each.book_id,
        ...sumKey.map((name) => each[name]),
        each.listed,
        each.high,
        each.low,
      ]),
  );
  yield* raiseVersions(different);
}
