/**
 * The values of all lines of one header field, in order, as they were sent.
 *
 * Node keeps only the first line of fields such as Host and Authorization; a request that sends two of them
 * means different things to different readers, so whoever decides by such a field counts its lines first.
 * `name` in lower case.
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
