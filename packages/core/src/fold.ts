/** Letters that Unicode does not decompose, as people type them without the letter. */
const plainLetters: Readonly<Record<string, string>> = {
  ...{ ß: 'ss', ø: 'o', ł: 'l', æ: 'ae', œ: 'oe', đ: 'd', ð: 'd', þ: 'th', ħ: 'h', ı: 'i' },
  ...{ ŧ: 't', ŋ: 'n', ĸ: 'k', ς: 'σ', ə: 'e', ƒ: 'f' },
};
const plainLetter = new RegExp(`[${Object.keys(plainLetters).join('')}]`, 'gu');
const marks = /[\p{M}\p{Cf}]/gu;
const blanks = /[\s\p{Cc}]+/gu;
// Such text has nothing to decompose; most payees are of this kind.
const ascii = /^[\u0000-\u007f]*$/;

/**
 * Returns the form in which search compares texts: without letter case, accents and other marks, with a single space
 * for blanks and none at the ends.
 *
 * It is NFKD without marks (general category M) and invisible characters (Cf, such as marks of direction), in lower
 * case; letters that have no decomposition become the usual plain ones: `ß` is `ss`, `ø` is `o`, `æ` is `ae`. The
 * result does not depend on the language. Folding a folded text changes nothing.
 */
export function foldText(text: string): string {
  if (ascii.test(text)) return text.toLowerCase().replace(blanks, ' ').trim();
  const plain = text.toWellFormed().normalize('NFKD').toLowerCase().normalize('NFKD');
  return plain
    .replace(marks, '')
    .replace(plainLetter, (letter) => plainLetters[letter]!)
    .replace(blanks, ' ')
    .trim();
}

/** Returns the different words of a search, folded; empty if it has none. */
export function searchWords(query: string): string[] {
  return [...new Set(foldText(query).split(' '))].filter((word) => word !== '');
}
