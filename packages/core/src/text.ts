const maxQuotedLength = 100;
// Control characters, line and paragraph separators, and marks that change the direction of writing.
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
const shortEscapes: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Quotes a value for an error message: {@link shorten}ed, in double quotes, escaped as JSON. */
export function quote(text: string): string {
  return JSON.stringify(shorten(text));
}

/**
 * Cuts a text that is too long to repeat in a message, and marks the cut with `…`.
 *
 * Length is counted in UTF-16 units; a text of at most `maxLength` is returned unchanged. A cut never divides a
 * surrogate pair.
 */
export function shorten(text: string, maxLength = maxQuotedLength): string {
  if (text.length <= maxLength) return text;
  const dividesPair = text.codePointAt(maxLength - 1)! > 0xffff;
  return `${text.slice(0, dividesPair ? maxLength - 1 : maxLength)}…`;
}

/**
 * Escapes every character that controls a terminal: control characters, line breaks, marks that change the
 * direction of writing. Double quotes and backslashes are not escaped.
 */
export function printable(text: string): string {
  return text.replace(unprintable, escapeCharacter);
}

function escapeCharacter(character: string): string {
  const code = character.charCodeAt(0).toString(16).padStart(4, '0');
  return shortEscapes[character] ?? `\\u${code}`;
}

/** Whether every engine returns the text unchanged: no NUL, no lone surrogate. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/** Removes NUL, which PostgreSQL refuses, and replaces each lone surrogate, which UTF-8 cannot encode, with U+FFFD. */
export function storable(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}

/** The form in which names are compared: trimmed, without letter case (`ß` is `SS`), Unicode normalization form C. */
export function nameKey(text: string): string {
  const composed = text.trim().normalize('NFC');
  // Upper case makes `ß` and `ss`, or both small sigmas, equal, but leaves the capital `ẞ` as it is. Case can leave
  // letters that NFC composes.
  return composed.toLowerCase().toUpperCase().toLowerCase().normalize('NFC');
}

/** The text with one space for all blanks in a row, none at its ends, and without invisible characters. */
export function withSingleBlanks(text: string): string {
  return text
    .replace(/\p{Cf}/gu, '')
    .replace(/\s+/g, ' ')
    .trim();
}

/** The form in which payees are compared: {@link nameKey} of the text with single blanks. */
export function payeeKey(payee: string): string {
  return nameKey(withSingleBlanks(payee));
}

/**
 * Compares two texts by code points: negative, zero or positive, for `sort`.
 *
 * JavaScript's `<` compares UTF-16 units, which sorts U+10000 and above before U+E000 to U+FFFF.
 */
export function compareCodePoints(a: string, b: string): number {
  const others = b[Symbol.iterator]();
  for (const character of a) {
    const other = others.next();
    if (other.done === true) return 1;
    const difference = character.codePointAt(0)! - other.value.codePointAt(0)!;
    if (difference !== 0) return difference;
  }
  return others.next().done === true ? 0 : -1;
}
