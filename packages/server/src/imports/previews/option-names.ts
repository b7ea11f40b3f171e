/** Flags of the command in sentences of the readers. */
const flags =
  /--(account|any-year|currency|date-format|decimal|encoding|format|map|negate|on-doubt|skip-bad-rows)\b/g;

/** Returns a sentence with the names that options have in requests: `date_format` for `--date-format`. */
export function withOptionNames(sentence: string): string {
  return sentence.replaceAll(flags, (_, name: string) => name.replaceAll('-', '_'));
}
