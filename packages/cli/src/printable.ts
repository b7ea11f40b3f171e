const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/**
 * A text with nothing in it that a terminal would act upon: control characters, line breaks and the signs that turn the
 * direction of writing are shown as escapes. Quotes and backslashes stay as they are.
 */
export function printable(text: string): string {
  return text.replace(unprintable, escaped);
}

/** A {@link printable} text in quotes. */
export function quote(text: string): string {
  return `"${printable(text)}"`;
}

function escaped(character: string): string {
  if (character === '\n') return '\\n';
  if (character === '\r') return '\\r';
  if (character === '\t') return '\\t';
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** A count with its noun: `1 transaction`, `12,000 transactions`. */
export function count(number: number, noun: string, plural = `${noun}s`): string {
  return `${number.toLocaleString('en')} ${number === 1 ? noun : plural}`;
}
