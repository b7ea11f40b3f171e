/**
 * Returns the values of all lines of one header field, in order, as they were sent.
 *
 * Node keeps only the first line of fields such as Host and Authorization. Other parsers may use the last line, so code
 * that depends on such a field counts its lines first. `name` is in lower case.
 */
export function headerLines(rawHeaders: readonly string[], name: string): string[] {
  const values: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const field = rawHeaders[at]!;
    if (field.length === name.length && field.toLowerCase() === name) {
      values.push(rawHeaders[at + 1]!);
    }
  }
  return values;
}
