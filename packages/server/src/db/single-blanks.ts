import sql, { raw } from 'sql-template-tag';
import type { Sql } from 'sql-template-tag';

/** The blanks that payees have: tab, ends of lines, and spaces at which no line breaks, or that are wide or thin. */
const blanks = ['\t', '\n', '\r', '\u00a0', '\u2007', '\u2009', '\u202f', '\u3000'];

/** A space and a character that no text has. */
const pair = ' \u0001';
const turned = '\u0001 ';

/** Returns an expression for the text of a column with one space for all blanks in a row, and none at its ends. */
export function withSingleBlanks(column: string): Sql {
  const spaced = blanks.reduce((so, blank) => sql`replace(${so}, ${blank}, ' ')`, raw(column));
  // Every further space of a row follows one of the added characters, and goes with it.
  return sql`trim(replace(replace(replace(${spaced}, ' ', ${pair}), ${turned}, ''), ${pair}, ' '))`;
}
