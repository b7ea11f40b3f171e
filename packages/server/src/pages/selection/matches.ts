import sql, { join, raw } from 'sql-template-tag';
import type { Sql } from 'sql-template-tag';
import { padded } from '../../db/blocks.ts';
import type { Dialect } from '../../db/dialect.ts';
import { dialectOf } from '../../db/engine.ts';
import type { Steps } from '../../db/engine.ts';
import { foldedText, searchedText, searchedLength } from '../../db/transaction-texts.ts';
import { dateRange, showsListed, visibilityConditions } from '../filter.ts';
import { hasTag, rowConditions } from './conditions.ts';
import type { SelectionKey } from './conditions.ts';
import type { Selection } from './query.ts';

/** Shorter words match only where a word of a text begins: in the middle they would match almost every text. */
const shortest = 3;
/** Most categories that are read one by one in the order of the list; more are compared row by row. */
const mostBranches = 20;

/** What a SELECT of matches needs. */
interface Scope {
  readonly bookId: number;
  readonly selection: Selection;
  /** The columns of `t` to select. */
  readonly columns: string;
  readonly dialect: Dialect;
  /** Conditions for everything but words, payee, and the rows that a plain list hides. */
  readonly conditions: readonly Sql[];
  /** Conditions for these rows. */
  readonly shown: readonly Sql[];
}

/** What to select. */
export interface Wanted {
  /** The categories of a filter, with the members of groups; 0 is none. Null without a filter. */
  readonly categories: readonly number[] | null;
  /** Only rows after this one. */
  readonly after: SelectionKey | null;
  /** Names of columns, with commas between them. */
  readonly columns: string;
  /** All matching rows are read, not only the first ones. */
  readonly isWhole: boolean;
}

/**
 * Returns a SELECT of columns of the matching rows, each once, in no order.
 *
 * It starts with what is probably rarest, by an index that the statement names: words, payee, tags; categories if only
 * the first rows are read. Else it reads all of the book in the range of dates, by the index that has most of the
 * filtered columns.
 */
export function* selectMatches(
  bookId: number,
  selection: Selection,
  { categories, after, columns, isWhole }: Wanted,
): Steps<Sql> {
  const dialect = yield* dialectOf();
  const conditions = rowConditions(selection, categories, after);
  const shown = visibilityConditions(selection);
  const scope = { bookId, selection, columns, dialect, conditions, shown };
  const { words, payee, tag_ids: tagIds } = selection;
  const isByText = payee !== undefined || words.length > 0;
  if (!isByText && tagIds?.includes(0) === false) return matchesOfTags(scope, tagIds);
  if (tagIds !== undefined) conditions.push(hasTag(tagIds, dialect));
  if (payee !== undefined) return matchesOfPayee(scope, payee);
  if (words.length > 0) return matchesOfWords(scope);
  if (!isWhole && categories !== null && categories.length <= mostBranches)
    return matchesOfCategories(scope, categories);
  return matchesInBook(scope);
}

/** The selected columns of `t`. */
function selected({ columns }: Scope): Sql {
  return raw(columns.replaceAll(/\w+/g, 't.$& AS $&'));
}

function matchesOfPayee(scope: Scope, payee: string): Sql {
  const { bookId, dialect, conditions, shown } = scope;
  const stored = dialect.byBytes(searchedText('t.payee'));
  const head = [...payee].slice(0, searchedLength).join('');
  const all = [sql`${stored} = ${head}`, ...conditions, ...shown];
  if (head.length !== payee.length) all.push(sql`t.payee = ${payee}`);
  const folded = foldedText(head);
  const rest = scope.selection.words.filter((word) => !folded.includes(partOf(word)));
  if (rest.length > 0) all.push(notesHave(scope, rest));
  return sql`SELECT ${selected(scope)} FROM transactions t ${dialect.withIndex('transactions_by_payee')}
    WHERE t.book_id = ${bookId} AND ${join(all, ' AND ')}`;
}

function notesHave({ bookId, dialect }: Scope, words: readonly string[]): Sql {
  const has = words.map((word) => sql`${dialect.position('x.folded', partOf(word))} > 0`);
  return sql`EXISTS (SELECT 1 FROM transaction_texts x WHERE x.book_id = ${bookId}
    AND x.text = ${dialect.byBytes(searchedText('t.notes'))} AND ${join(has, ' AND ')})`;
}

/** Returns what a folded text must contain. */
function partOf(word: string): string {
  return [...word].length < shortest ? ` ${word}` : word;
}

/**
 * Selects the texts with a word of the search, each with the set of its words as bits; then the rows of payees that
 * have all words, and the rows of notes that have some of them if the payee has the others.
 *
 * `text || ''` is no column: with one, SQLite would convert the indexed expression to its type, and not use the index.
 */
function matchesOfWords(scope: Scope): Sql {
  const { bookId, dialect, selection, conditions, shown } = scope;
  const every = raw(String(2 ** selection.words.length - 1));
  const wordsIn = (folded: string): Sql =>
    join(
      selection.words.map(
        (word, place) =>
          sql`CASE WHEN ${dialect.position(folded, partOf(word))} > 0 THEN ${raw(String(2 ** place))} ELSE 0 END`,
      ),
      ' + ',
    );
  const payee = dialect.byBytes(searchedText('t.payee'));
  const inPayee = sql`(SELECT ${wordsIn('p.folded')} FROM transaction_texts p
    WHERE p.book_id = ${bookId} AND p.text = ${payee})`;
  const rows = (column: string, where: readonly Sql[]): Sql =>
    sql`SELECT ${selected(scope)} ${dialect.transactionsOfEach({
      of: raw('texts x'),
      index: `transactions_by_${column}`,
      columns: scope.columns,
      where: sql`t.book_id = ${bookId} AND ${dialect.byBytes(searchedText(`t.${column}`))} = x.text
        AND ${join([...where, ...shown, ...conditions], ' AND ')}`,
    })}`;
  return sql`WITH texts (text, words, is_payee) AS MATERIALIZED (
      SELECT text, words, is_payee FROM (
        SELECT x.text || '' AS text, ${wordsIn('x.folded')} AS words, x.is_payee AS is_payee
        FROM transaction_texts x WHERE x.book_id = ${bookId}
      ) found WHERE words > 0)
    ${rows('payee', [sql`x.words = ${every}`, sql`x.is_payee = 1`])}
    UNION ALL
    ${rows('notes', [
      sql`${payee} NOT IN (SELECT text FROM texts WHERE words = ${every})`,
      ...(selection.words.length === 1
        ? []
        : [sql`(x.words = ${every} OR (x.words | ${inPayee}) = ${every})`]),
    ])}`;
}

function matchesOfTags(scope: Scope, tagIds: readonly number[]): Sql {
  const { bookId, dialect, selection, conditions, shown, columns } = scope;
  const { start_date, end_date } = dateRange(selection);
  const tagged = sql`(SELECT DISTINCT k.transaction_id AS transaction_id FROM transaction_tags k
    WHERE k.book_id = ${bookId} AND k.tag_id IN (${join(padded(tagIds, tagIds[0]!))})
      AND k.date BETWEEN ${start_date} AND ${end_date}) k`;
  const where = sql`t.book_id = ${bookId} AND t.id = k.transaction_id
    AND ${join([...shown, ...conditions], ' AND ')}`;
  const each = dialect.transactionsOfEach({ of: tagged, index: null, columns, where });
  return sql`SELECT ${selected(scope)} ${each}`;
}

function matchesOfCategories(scope: Scope, categories: readonly number[]): Sql {
  const { bookId, dialect, conditions, shown } = scope;
  const branches = [...new Set(categories)].map(
    (
      id,
    ) => sql`SELECT ${selected(scope)} FROM transactions t ${dialect.withIndex('transactions_by_category')}
      WHERE t.book_id = ${bookId} AND ${id === 0 ? sql`t.category_id IS NULL` : sql`t.category_id = ${id}`}
        AND ${join([...shown, ...conditions], ' AND ')}`,
  );
  return join(branches, ' UNION ALL ');
}

function matchesInBook(scope: Scope): Sql {
  const { bookId, dialect, conditions, selection, shown } = scope;
  const isListed = showsListed(selection);
  const index = isListed ? 'transactions_to_sum' : 'transactions_by_date';
  // As the condition of the index has it.
  const listed = [
    sql`t.is_pending = 0`,
    sql`t.is_split_parent = 0`,
    sql`t.group_parent_id IS NULL`,
  ];
  return sql`SELECT ${selected(scope)} FROM transactions t ${dialect.withIndex(index)}
    WHERE t.book_id = ${bookId} AND ${join([...(isListed ? listed : shown), ...conditions], ' AND ')}`;
}
