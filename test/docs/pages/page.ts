/** A fenced code block of a page, in the order of the page. */
export interface Block {
  /** The word after the fence, such as `sh`. */
  readonly language: string;
  readonly code: string;
  /** The number of the line with the fence, from 1. */
  readonly line: number;
  /** Whether the paragraph before it ends in "It prints:", so that it is the output of the command before it. */
  readonly isOutput: boolean;
}

const fence = /^( *)```(\w*)\n([^]*?)^\1```$/gm;

/** The code blocks of a Markdown text. Blocks in lists lose their indentation. */
export function blocksOf(text: string): Block[] {
  return [...text.matchAll(fence)].map(
    ({ 1: indent = '', 2: language = '', 3: code = '', index }) => ({
      language,
      code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
      line: text.slice(0, index).split('\n').length,
      isOutput: /\b[Ii]t prints:\s*$/.test(text.slice(0, index)),
    }),
  );
}

/** How far something is: printed only when it takes longer than a second. */
const progress = /^.* of [\d,.]+ (?:rows|MB) \(\d+ %\).*\n/gm;

/**
 * Whether a text is what a page shows; `…` matches any text, and on its own line any lines. Lines of progress do not
 * count.
 */
export function isShown(shown: string, text: string): boolean {
  const pattern = shown
    .trimEnd()
    .split(/^ *…$/m)
    .map((part) => part.split('…').map(literal).join('[^\\n]*'))
    .join('[^]*');
  return new RegExp(`^${pattern}\\s*$`).test(text.replaceAll(progress, ''));
}

function literal(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
