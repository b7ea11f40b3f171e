/** Letters that Unicode does not decompose, as people type them without the letter. */
const plainLetters: Readonly<Record<string, string>> = {
  ß: 'ss',
  ø: 'o',
  ł: 'l',
  æ: 'ae',
  œ: 'oe',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ħ: 'h',
  ı: 'i',
  ŧ: 't',
  ŋ: 'n',
  ĸ: 'k',
  ς: 'σ',
  ə: 'e',
  ƒ: 'f',
};
const plainLetter = new RegExp(`[${Object.keys(plainLetters).join('')}]`, 'gu');
const marks = /[\p{M}\p{Cf}]/gu;
const blanks = /[\s\p{Cc}]+/gu;
// Such text has nothing to decompose; most payees are of this kind.
const ascii = /^[\u0000-\u007f]*$/;

/**
 * Marks of writing as keyboards have them, with the general category Pd. Accents and primes that have no letter are
 * typed for apostrophes, too.
 */
const plainMarks: readonly (readonly [mark: RegExp, plain: string])[] = [
  [/[‘’‚‛′‵‹›ʹʻʼʽˈ´`]|[\u055a\u05f3]/gu, "'"],
  [/[“”„‟″‶«»ʺ〝〞〟]|\u05f4/gu, '"'],
  [/[\p{Pd}\u2212\u2043\u02d7]/gu, '-'],
];

/**
 * Returns the form in which search compares texts: without letter case, accents and other marks, with a single space
 * for blanks and none at the ends.
 *
 * It is NFKD without marks (general category M) and invisible characters (Cf, such as marks of direction), in lower
 * case; letters that have no decomposition become the usual plain ones: `ß` is `ss`, `ø` is `o`, `æ` is `ae`. Quotation
 * marks and apostrophes of any form are `"` and `'`, dashes and the minus sign are `-`. The result does not depend on
 * the language. Folding a folded text changes nothing.
 */
export function foldText(text: string): string {
  if (ascii.test(text)) return text.toLowerCase().replaceAll('`', "'").replace(blanks, ' ').trim();
  // Compatibility forms of some marks have blanks.
  const marked = withPlainMarks(text.toWellFormed());
  const plain = marked.normalize('NFKD').toLowerCase().normalize('NFKD');
  return withPlainMarks(plain)
    .replace(marks, '')
    .replace(plainLetter, (letter) => plainLetters[letter]!)
    .replace(blanks, ' ')
    .trim();
}

function withPlainMarks(text: string): string {
  return plainMarks.reduce((so, [mark, plain]) => so.replace(mark, plain), text);
}

/** Returns the different words of a search, folded; empty if it has none. */
export function searchWords(query: string): string[] {
  return [...new Set(foldText(query).split(' '))].filter((word) => word !== '');
}

/** How many characters of a payee and of notes are searched. */
export const searchedLength = 300;

/** Returns the searched characters of a text, as the database stores them. */
export function headOf(text: string): string {
  const stored = text.toWellFormed();
  if (stored.length <= searchedLength) return stored;
  // A character beyond U+FFFF has two UTF-16 units.
  return [...stored.slice(0, 2 * searchedLength)].slice(0, searchedLength).join('');
}
