import sql, { join, raw } from 'sql-template-tag';
import type { Sql } from 'sql-template-tag';
import type { Dialect } from '../../db/dialect.ts';
import { foldedText, searchedText, searchedLength } from '../../db/transaction-texts.ts';
import type { Selection } from './query.ts';

/** Shorter words match only where a word of a text begins: in the middle they would match almost every text. */
const shortest = 3;

/** The words of a selection in the texts of a book. */
export interface Words {
  readonly bookId: number;
  readonly words: Selection['words'];
  readonly dialect: Dialect;
}

/** Returns the searched text of a column of transactions, as it is in the indexes. */
export function storedText(column: string, { byBytes }: Dialect): Sql {
  return byBytes(searchedText(column));
}

/** The bits of all words. */
export function everyWord({ words }: Pick<Words, 'words'>): Sql {
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
export function wordsOf(words: Words, column: string): Sql {
  return sql`(SELECT ${wordsIn(words, 'p.folded')} FROM transaction_texts p
    WHERE p.book_id = ${words.bookId} AND p.text = ${storedText(column, words.dialect)})`;
}

/**
 * Returns the texts that have a word, for a WITH: `texts`, each with its words as bits, and whether it is a payee.
 *
 * `text || ''` is no column: with one, SQLite would convert the indexed expression to its type, and not use the index.
 */
export function textsWithWords(words: Words): Sql {
  return sql`texts (text, words, is_payee) AS MATERIALIZED (
      SELECT text, words, is_payee FROM (
        SELECT x.text || '' AS text, ${wordsIn(words, 'x.folded')} AS words, x.is_payee AS is_payee
        FROM transaction_texts x WHERE x.book_id = ${words.bookId}
      ) found WHERE words > 0)`;
}

/** Returns conditions on row `t`: its payee is this one, and the notes have the words that the payee lacks. */
export function isOfPayee(words: Words, payee: string): Sql[] {
  const head = [...payee].slice(0, searchedLength).join('');
  const conditions = [sql`${storedText('t.payee', words.dialect)} = ${head}`];
  if (head.length !== payee.length) conditions.push(sql`t.payee = ${payee}`);
  const folded = foldedText(head);
  const rest = words.words.filter((word) => !folded.includes(partOf(word)));
  if (rest.length === 0) return conditions;
  const inNotes = { ...words, words: rest };
  return [...conditions, sql`${wordsOf(inNotes, 't.notes')} = ${everyWord(inNotes)}`];
}

/** Returns a condition on row `t`: each word is in its payee or in its notes. */
export function hasWords(words: Words): Sql {
  const [payee, notes] = ['t.payee', 't.notes'].map(
    (column) => sql`coalesce(${wordsOf(words, column)}, 0)`,
  );
  return sql`(${payee} | ${notes}) = ${everyWord(words)}`;
}

/** Returns what a folded text must contain. */
function partOf(word: string): string {
  return [...word].length < shortest ? ` ${word}` : word;
}
