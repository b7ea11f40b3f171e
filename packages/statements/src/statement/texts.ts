// More than single spaces between words.
const UNEVEN = /\s\s|[^\S ]|^\s|\s$/;

/** The text with one space for all blanks in a row, and none at its ends. */
export function singleBlanks(text: string): string {
  return UNEVEN.test(text) ? text.replace(/\s+/g, ' ').trim() : text;
}

/** The texts that are not empty, with `; ` between them; null if there is none. */
export function joinNotes(texts: readonly string[]): string | null {
  return texts.filter((text) => text !== '').join('; ') || null;
}

/** How notes mention the other account of a transfer, which has no category. */
export function transferNote(account: string): string {
  return `Transfer: ${account}`;
}

/** A copy of a text, because a slice would keep the whole text around it in memory. */
export function copyOf(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}

/** The words of a table of facts, which are separated by spaces. */
export function listOf(...lines: readonly string[]): string[] {
  return lines.flatMap((line) => line.split(' '));
}
