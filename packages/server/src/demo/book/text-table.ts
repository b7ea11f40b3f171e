/** A row of a text table: cells of the form `key=value` by their keys, and all other cells in order. */
export interface Row {
  readonly cells: readonly string[];
  readonly options: Readonly<Partial<Record<string, string>>>;
}

/** Parses a table: a row per line, cells separated by `|`. A line that starts with `|` continues the row above. */
export function readTable(text: string): Row[] {
  const lines = text.replaceAll('\n|', '|').split('\n');
  return lines.filter((line) => line !== '').map(readRow);
}

function readRow(line: string): Row {
  const all = line.split('|').map((cell) => cell.trim());
  const isOption = (cell: string) => /^[a-z]+=/.test(cell);
  const options = all.filter(isOption).map((cell) => cell.split(/=(.*)/) as [string, string]);
  return { cells: all.filter((cell) => !isOption(cell)), options: Object.fromEntries(options) };
}
