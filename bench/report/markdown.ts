import { readFileSync, writeFileSync } from 'node:fs';

export function markdownTable(rows: readonly (readonly string[])[]): string {
  const [head = [], ...body] = rows;
  const widths = head.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  return [line(head), rule, ...body.map(line)].join('\n');
}

/** Returns a document with the text between `<!-- NAME:begin -->` and `<!-- NAME:end -->` replaced. */
export function placeBetween(document: string, name: string, text: string): string {
  const pattern = new RegExp(`(<!-- ${name}:begin -->)[^]*?(<!-- ${name}:end -->)`);
  return document.replace(
    pattern,
    (_, begin: string, end: string) => `${begin}\n\n${text}\n\n${end}`,
  );
}

export function rewrite(file: URL, name: string, text: string): void {
  writeFileSync(file, placeBetween(readFileSync(file, 'utf8'), name, text));
}
