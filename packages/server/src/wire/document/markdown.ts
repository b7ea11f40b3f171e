/** A Markdown table; an empty text when there are no rows. */
export function table(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const line = (cells: readonly string[]) => `| ${cells.map(escapeBars).join(' | ')} |`;
  return [line(heading), line(heading.map(() => '---')), ...rows.map(line)].join('\n');
}

function escapeBars(cell: string): string {
  return cell.replaceAll('|', '\\|');
}

const width = 120;

/** Wraps a paragraph at 120 columns; further lines start with `indent`. */
export function wrap(text: string, indent = ''): string {
  const [first = '', ...words] = text.split(' ');
  const lines = [first];
  for (const word of words) {
    const longer = `${lines.at(-1)} ${word}`;
    if (longer.length > width) lines.push(indent + word);
    else lines[lines.length - 1] = longer;
  }
  return lines.join('\n');
}

/** Text as code. */
export function code(text: string): string {
  return `\`${text}\``;
}

/** A document of its non-empty blocks. */
export function joinBlocks(blocks: readonly string[]): string {
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

/** The anchor that web pages give to a heading. */
export function anchor(heading: string): string {
  const letters = heading.toLowerCase().replaceAll(/[^\p{L}\p{N}\s_-]/gu, '');
  return letters.replaceAll(' ', '-');
}
