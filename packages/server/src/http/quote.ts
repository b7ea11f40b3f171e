const maxQuotedLength = 100;

/** The text in double quotes, cut when it is long, with control characters escaped. */
export function quote(text: string): string {
  return JSON.stringify(shorten(text));
}

/** The text, cut when it is too long to repeat. */
export function shorten(text: string): string {
  return text.length <= maxQuotedLength ? text : `${text.slice(0, maxQuotedLength)}…`;
}
