import { folded, wordsOf } from './fold.ts';
import { LANGUAGES } from './languages/index.ts';
import type { Vocabulary } from './vocabulary.ts';

/** +1: money in; −1: money out. */
export type Direction = 1 | -1;

function wordSet(role: keyof Vocabulary): ReadonlySet<string> {
  return new Set(LANGUAGES.flatMap((language) => wordsOf(language[role])));
}

/** The first meaning of a word that has several wins. */
function meanings<T>(roles: readonly (readonly [keyof Vocabulary, T])[]): ReadonlyMap<string, T> {
  return new Map(
    roles
      .toReversed()
      .flatMap(([role, meaning]) => [...wordSet(role)].map((word) => [word, meaning] as const)),
  );
}

const DIRECTIONS = meanings<Direction>([
  ['moneyOut', -1],
  ['moneyIn', 1],
]);

/**
 * What the status of a row means: `pending`, or why the row did not happen.
 * A row with any other status is an ordinary one.
 */
export type RowStatus =
  'pending' | `${'reverted' | 'declined' | 'failed' | 'cancelled'} transaction`;

const STATUSES = meanings<RowStatus>([
  ['pending', 'pending'],
  ['reverted', 'reverted transaction'],
  ['declined', 'declined transaction'],
  ['failed', 'failed transaction'],
  ['cancelled', 'cancelled transaction'],
]);
const BALANCE_LINES = wordSet('balanceLine');
const TOTAL_LINES = wordSet('totalLine');

// Columns of words repeat a few texts over and over.
const MAX_REMEMBERED = 1000;

function remembered<T>(find: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const found = find(text);
    if (known.size < MAX_REMEMBERED && text.length < 100) known.set(text, found);
    return found;
  };
}

/** Parses a word for the direction of money, ignoring case and accents; null for any other word. */
export const parseDirection = remembered(
  (text): Direction | null => DIRECTIONS.get(folded(text)) ?? null,
);

/** The meaning of a status; null for a booked row and for any word that is not known. */
export const parseStatus = remembered((text): RowStatus | null => {
  const word = folded(text);
  return STATUSES.get(word) ?? STATUSES.get(word.replace(/[\s:(.!-].*$/, '')) ?? null;
});

// First letters of the known lines: most payees need no more than this check.
const FIRST_LETTERS = new Set([...BALANCE_LINES, ...TOTAL_LINES].map((line) => line[0]!));
const MAX_LINE_LENGTH = 60;

/**
 * Whether a text is the name of a balance, such as `Saldo anterior` or `Opening balance 01/02/2024`, or of a total.
 * A longer text that contains such a name is a payee like any other.
 */
export function lineMeaning(text: string): 'balance line' | 'total line' | null {
  if (text === '' || text.length > MAX_LINE_LENGTH) return null;
  if (!mayBeLine(text.charCodeAt(0))) return null;
  const name = bareLine(folded(text));
  if (BALANCE_LINES.has(name)) return 'balance line';
  return TOTAL_LINES.has(name) ? 'total line' : null;
}

/** Whether a text can begin with the letter; accents and case are folded only if it is not ASCII. */
function mayBeLine(code: number): boolean {
  if (code > 127) return true;
  return FIRST_LETTERS.has(String.fromCharCode(code).toLowerCase()) || code === 42;
}

/** The line without the date, number, currency or marks around its name. */
function bareLine(line: string): string {
  const name = line.replace(/^[*\s-]+|[*\s:.-]+$/g, '');
  if (BALANCE_LINES.has(name) || TOTAL_LINES.has(name)) return name;
  return name
    .replace(
      /[\s:(]+(?:(?:as of|as at|at|on|am|per|op|au|al|a|del|em|na dzien|k|der|vom|dated|\(?in)\s*)?[(]?(?:[a-z]{3}\s*)?[-+\d.,/\s:]*(?:\s*[a-z]{3})?[)]?$/,
      '',
    )
    .replace(/[\s:(-]+(?:as of|as at|at|on|am|per|op|au|al|del|em)$/, '')
    .trim();
}
