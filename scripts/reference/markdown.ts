/** Returns a Markdown table; an empty text without rows. */
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

/** Returns a text as code. */
export function code(text: string): string {
  return `\`${text}\``;
}

/** Returns a document of its blocks, without empty ones. */
export function joinBlocks(blocks: readonly string[]): string {
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

/** Returns the anchor of a heading, as GitHub and similar sites compute it. */
export function anchor(heading: string): string {
  const letters = heading.toLowerCase().replaceAll(/[^\p{L}\p{N}\s_-]/gu, '');
  return letters.replaceAll(' ', '-');
}
