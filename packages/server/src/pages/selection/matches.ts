import sql, { join, raw } from 'sql-template-tag';
import type { Sql } from 'sql-template-tag';
import { padded } from '../../db/blocks.ts';
import { foldedText, searchedText, searchedLength } from '../../db/derived-tables.ts';
import type { Dialect } from '../../db/dialect.ts';
import { dialectOf } from '../../db/engine.ts';
import type { Steps } from '../../db/engine.ts';
import { dateRange, showsListed, visibilityConditions, filterConditions } from '../filter.ts';
import type { RowKey } from '../filter.ts';
import type { Selection } from './query.ts';

/** Most categories that are read one by one in the order of the list; more are compared row by row. */
const mostBranches = 20;

/** What to select. */
export interface Wanted {
  /** The categories of a filter, with the members of groups; 0 is none. Null without a filter. */
  readonly categories: readonly number[] | null;
  /** Names of columns, with commas between them. */
  readonly columns: string;
  /** Only rows after this one, in a list by amount. */
  readonly after?: AmountKey | null;
  /** Only rows of these days, at most a block. */
  readonly days?: readonly string[] | null;
  /** All matching rows are read, not only the first ones. */
  readonly isWhole: boolean;
}

/** What a SELECT of matches needs. */
interface Scope extends Words {
  readonly selection: Selection;
  /** The columns of `t` to select. */
  readonly columns: string;
  /** Conditions on the date. */
  readonly dates: readonly Sql[];
  /** Conditions for everything but dates, words, payee, and the rows that a plain list hides. */
  readonly conditions: readonly Sql[];
  /** Conditions for these rows. */
  readonly shown: readonly Sql[];
}

/**
 * Returns a SELECT of columns of the matching rows, each once, in no order. It may begin with WITH.
 *
 * It starts with what is probably rarest, by an index that the statement names: only pending rows, words, payee, tags;
 * categories if only the first rows are read. Else it reads all of the book in the range of dates, by the index that
 * has most of the filtered columns.
 */
export function* selectMatches(bookId: number, selection: Selection, wanted: Wanted): Steps<Sql> {
  const { categories, columns, after = null, days = null, isWhole } = wanted;
  const dialect = yield* dialectOf();
  const { words, payee, tag_ids: tagIds } = selection;
  const isTagged = tagIds?.includes(0) === false;
  const isPending = selection.is_pending === true;
  const byKeys = !isPending && payee === undefined && (words.length > 0 || isTagged);
  // An index by dates and ids is not sought by categories, too: once for each of them.
  const conditions = rowConditions(selection, categories, byKeys ? '+t' : 't');
  if (after !== null) conditions.push(isAfter(after, selection));
  if (tagIds !== undefined && !(byKeys && words.length === 0))
    conditions.push(hasTag(tagIds, dialect));
  const isInBook = !byKeys && !isPending && payee === undefined;
  const dates = days === null ? dateConditions(selection) : [isOfDay(days, isInBook)];
  const shown = visibilityConditions(selection);
  const scope = { bookId, selection, words, columns, dialect, dates, conditions, shown };
  if (isPending) return matchesOfPending(scope);
  if (payee !== undefined) return matchesOfPayee(scope, payee);
  if (byKeys) return words.length > 0 ? matchesOfWords(scope) : matchesOfTags(scope, tagIds!);
  if (!isWhole && categories !== null && categories.length <= mostBranches)
    return matchesOfCategories(scope, categories);
  return matchesInBook(scope);
}

/** The selected columns of `t`. */
function selected({ columns }: Pick<Scope, 'columns'>): Sql {
  return raw(columns.replaceAll(/\w+/g, 't.$& AS $&'));
}

function matchesOfPending(scope: Scope): Sql {
  const { bookId, selection, dialect, dates, conditions, shown } = scope;
  const { payee, words } = selection;
  const ofText = payee === undefined ? [] : isOfPayee(scope, payee);
  if (payee === undefined && words.length > 0) ofText.push(hasWords(scope));
  return sql`SELECT ${selected(scope)} FROM transactions t ${dialect.withIndex('transactions_pending')}
    WHERE t.book_id = ${bookId} AND ${join([...dates, ...shown, ...conditions, ...ofText], ' AND ')}`;
}

function matchesOfPayee(scope: Scope, payee: string): Sql {
  const { bookId, dialect, dates, conditions, shown } = scope;
  const all = [...isOfPayee(scope, payee), ...dates, ...conditions, ...shown];
  return sql`SELECT ${selected(scope)} FROM transactions t ${dialect.withIndex('transactions_by_payee')}
    WHERE t.book_id = ${bookId} AND ${join(all, ' AND ')}`;
}

/** The columns that the indexes of texts have, besides the texts. */
const textColumns = /^(date|id|to_base|, )+$/;

function matchesOfWords(scope: Scope): Sql {
  const { conditions, columns } = scope;
  const isCovered = conditions.length === 0 && textColumns.test(columns);
  if (isCovered || !comparesInIndex(scope))
    return sql`WITH ${textsWithWords(scope)} ${rowsOfTexts(scope)}`;
  const keys = rowsOfTexts({ ...scope, columns: 'date, id', conditions: [] });
  return sql`WITH ${textsWithWords(scope)}, ${comparedInIndex(scope, keys)}`;
}

/** Selects the rows of payees that have all words, and those of notes that have some if the payee has the others. */
function rowsOfTexts(scope: Scope): Sql {
  const { bookId, dialect, words, dates, conditions, shown } = scope;
  const every = everyWord(scope);
  const rows = (column: string, where: readonly Sql[]): Sql =>
    sql`SELECT ${selected(scope)} ${dialect.transactionsOfEach({
      of: raw('texts x'),
      index: `transactions_by_${column}`,
      columns: scope.columns,
      where: sql`t.book_id = ${bookId} AND ${storedText(`t.${column}`, dialect)} = x.text
        AND ${join([...where, ...shown, ...dates, ...conditions], ' AND ')}`,
    })}`;
  const ofNotes = [
    sql`${storedText('t.payee', dialect)} NOT IN (SELECT text FROM texts
      WHERE words = ${every} AND is_payee = 1)`,
  ];
  if (words.length > 1)
    ofNotes.push(sql`(x.words = ${every} OR (x.words | ${wordsOf(scope, 't.payee')}) = ${every})`);
  return sql`${rows('payee', [sql`x.words = ${every}`, sql`x.is_payee = 1`])}
    UNION ALL ${rows('notes', ofNotes)}`;
}

function matchesOfTags(scope: Scope, tagIds: readonly number[]): Sql {
  const { bookId, dialect, selection, dates, conditions, shown, columns } = scope;
  const { start_date, end_date } = dateRange(selection);
  const tagged = sql`SELECT DISTINCT k.date AS date, k.transaction_id AS id FROM transaction_tags k
    WHERE k.book_id = ${bookId} AND k.tag_id IN (${join(padded(tagIds, tagIds[0]!))})
      AND k.date BETWEEN ${start_date} AND ${end_date}`;
  if (comparesInIndex(scope)) return sql`WITH ${comparedInIndex(scope, tagged)}`;
  const where = sql`t.book_id = ${bookId} AND t.id = k.id
    AND ${join([...shown, ...dates, ...conditions], ' AND ')}`;
  const each = dialect.transactionsOfEach({ of: sql`(${tagged}) k`, index: null, columns, where });
  return sql`SELECT ${selected(scope)} ${each}`;
}

/** Conditions as `transactions_to_sum` has them: only rows that a plain list shows are in it. */
const listed = [sql`t.is_pending = 0`, sql`t.is_split_parent = 0`, sql`t.group_parent_id IS NULL`];

function comparesInIndex({ dialect, selection }: Scope): boolean {
  return dialect.comparesInIndex && showsListed(selection);
}

/**
 * Returns the end of a statement with WITH: the rows with some keys (`date`, `id`) that match the conditions. Keys are
 * sorted, because rows of near ids are near in the index.
 */
function comparedInIndex(scope: Scope, keys: Sql): Sql {
  const { bookId, dialect, dates, conditions } = scope;
  return sql`found (date, id) AS MATERIALIZED (SELECT date, id FROM (${keys}) unsorted ORDER BY id)
    SELECT ${selected(scope)} ${dialect.transactionsOfEach({
      of: raw('found k'),
      index: 'transactions_to_sum',
      columns: scope.columns,
      where: sql`t.book_id = ${bookId} AND t.date = k.date AND t.id = k.id
        AND ${join([...listed, ...dates, ...conditions], ' AND ')}`,
    })}`;
}

function matchesOfCategories(scope: Scope, categories: readonly number[]): Sql {
  const { bookId, dialect, dates, conditions, shown } = scope;
  const branches = [...new Set(categories)].map(
    (
      id,
    ) => sql`SELECT ${selected(scope)} FROM transactions t ${dialect.withIndex('transactions_by_category')}
      WHERE t.book_id = ${bookId} AND ${id === 0 ? sql`t.category_id IS NULL` : sql`t.category_id = ${id}`}
        AND ${join([...shown, ...dates, ...conditions], ' AND ')}`,
  );
  return join(branches, ' UNION ALL ');
}

function matchesInBook(scope: Scope): Sql {
  const { bookId, dialect, dates, conditions, selection, shown } = scope;
  const isListed = showsListed(selection);
  const index = isListed ? 'transactions_to_sum' : 'transactions_by_date';
  return sql`SELECT ${selected(scope)} FROM transactions t ${dialect.withIndex(index)}
    WHERE t.book_id = ${bookId} AND ${join([...(isListed ? listed : shown), ...dates, ...conditions], ' AND ')}`;
}

/** Shorter words match only where a word of a text begins: in the middle they would match almost every text. */
const shortest = 3;

/** The words of a selection in the texts of a book. */
interface Words {
  readonly bookId: number;
  readonly words: Selection['words'];
  readonly dialect: Dialect;
}

/** Returns the searched text of a column of transactions, as it is in the indexes. */
function storedText(column: string, { byBytes }: Dialect): Sql {
  return byBytes(searchedText(column));
}

/** The bits of all words. */
function everyWord({ words }: Pick<Words, 'words'>): Sql {
  return raw(String(2 ** words.length - 1));
}

/** Returns an expression for the words that a folded text has, as bits. */
function wordsIn({ words, dialect }: Words, folded: string): Sql {
  const bits = words.map(
    (word, place) =>
      sql`CASE WHEN ${dialect.position(folded, partOf(word))} > 0 THEN ${raw(String(2 ** place))} ELSE 0 END`,
  );
  return join(bits, ' + ');
}

/** Returns an expression for the words that a column of transactions has, as bits; null without a text. */
function wordsOf(words: Words, column: string): Sql {
  return sql`(SELECT ${wordsIn(words, 'p.folded')} FROM transaction_texts p
    WHERE p.book_id = ${words.bookId} AND p.text = ${storedText(column, words.dialect)})`;
}

/**
 * Returns the texts that have a word, for a WITH: `texts`, each with its words as bits, and whether it is a payee.
 *
 * `text || ''` is no column: with one, SQLite would convert the indexed expression to its type, and not use the index.
 */
function textsWithWords(words: Words): Sql {
  return sql`texts (text, words, is_payee) AS MATERIALIZED (
      SELECT text, words, is_payee FROM (
        SELECT x.text || '' AS text, ${wordsIn(words, 'x.folded')} AS words, x.is_payee AS is_payee
        FROM transaction_texts x WHERE x.book_id = ${words.bookId}
      ) found WHERE words > 0)`;
}

/** Returns conditions on row `t`: its payee is this one, and the notes have the words that the payee lacks. */
function isOfPayee(words: Words, payee: string): Sql[] {
  const characters = [...payee].slice(0, searchedLength);
  const head = characters.join('');
  const conditions = [sql`${storedText('t.payee', words.dialect)} = ${head}`];
  // The searched text may be only the start of a payee.
  if (characters.length === searchedLength) conditions.push(sql`t.payee = ${payee}`);
  const folded = foldedText(head);
  const rest = words.words.filter((word) => !folded.includes(partOf(word)));
  if (rest.length === 0) return conditions;
  const inNotes = { ...words, words: rest };
  return [...conditions, sql`${wordsOf(inNotes, 't.notes')} = ${everyWord(inNotes)}`];
}

/** Returns a condition on row `t`: each word is in its payee or in its notes. */
function hasWords(words: Words): Sql {
  const [payee, notes] = ['t.payee', 't.notes'].map(
    (column) => sql`coalesce(${wordsOf(words, column)}, 0)`,
  );
  return sql`(${payee} | ${notes}) = ${everyWord(words)}`;
}

/** Returns what a folded text must contain. */
function partOf(word: string): string {
  return [...word].length < shortest ? ` ${word}` : word;
}

/** The last row of a page in a list by amount. */
export interface AmountKey extends RowKey {
  readonly amount: number;
}

/** Returns conditions on row `t` for everything but dates, words, payee, tags, and the rows that a plain list hides. */
function rowConditions(
  selection: Selection,
  categories: readonly number[] | null,
  row: string,
): Sql[] {
  const conditions = filterConditions(selection);
  const { min_amount: min, max_amount: max, import_id } = selection;
  if (min !== undefined) conditions.push(sql`abs(t.amount) >= ${min}`);
  if (max !== undefined) conditions.push(sql`abs(t.amount) <= ${max}`);
  if (import_id !== undefined) conditions.push(sql`t.import_id = ${import_id}`);
  if (categories !== null) conditions.push(isAmong(`${row}.category_id`, categories));
  for (const name of ['manual_account_id', 'plaid_account_id'] as const) {
    const ids = selection[`${name}s`];
    if (ids !== undefined) conditions.push(isAmong(`t.${name}`, ids));
  }
  return conditions;
}

/** Returns a condition: the column is one of the ids, of which 0 is null. */
function isAmong(column: string, ids: readonly number[]): Sql {
  const some = ids.filter((id) => id !== 0);
  const isNull = sql`${raw(column)} IS NULL`;
  if (some.length === 0) return isNull;
  const isSome = sql`${raw(column)} IN (${join(padded(some, some[0]!))})`;
  return some.length === ids.length ? isSome : sql`(${isSome} OR ${isNull})`;
}

/** Returns a condition on row `t`: it has one of the tags, or none for 0. */
function hasTag(ids: readonly number[], { withIndex }: Dialect): Sql {
  if (ids.includes(0)) return sql`t.tag_ids = '[]'`;
  return sql`EXISTS (SELECT 1 FROM transaction_tags k ${withIndex('transaction_tags_by_transaction')}
    WHERE k.book_id = t.book_id AND k.transaction_id = t.id AND k.tag_id IN (${join(padded(ids, ids[0]!))}))`;
}

/** Returns a condition on row `t`: it is after the key in a list by amount. */
function isAfter({ amount, date, id }: AmountKey, { sort }: Selection): Sql {
  const sign = raw(sort === 'amount' ? '>' : '<');
  return sql`(t.amount, t.date, t.id) ${sign} (${amount}, ${date}, ${id})`;
}

/** Returns conditions on row `t`: it is in the range of dates. */
function dateConditions(selection: Selection): Sql[] {
  const { start_date, end_date } = dateRange(selection);
  return [sql`t.date >= ${start_date}`, sql`t.date <= ${end_date}`];
}

/**
 * Returns a condition on row `t`: it is of one of the days, at most a block. An index is only sought by them if that is
 * wanted: an index of texts would be sought once for each text and day.
 */
function isOfDay(days: readonly string[], isSought: boolean): Sql {
  const date = raw(isSought ? 't.date' : "t.date || ''");
  return sql`${date} IN (${join(padded(days, days[0]!))})`;
}

const directions = { '-': 'DESC', '': 'ASC' } as const;

/** Returns the ORDER BY of a selection, without the keyword. Rows with equal amounts are ordered by their dates. */
export function orderOf({ sort }: Selection): Sql {
  const direction = directions[sort.startsWith('-') ? '-' : ''];
  const columns = sort.endsWith('amount') ? ['amount', 'date', 'id'] : ['date', 'id'];
  return raw(columns.map((column) => `${column} ${direction}`).join(', '));
}
