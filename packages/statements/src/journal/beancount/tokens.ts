/** A word of a beancount directive. */
export interface Token {
  readonly kind: 'string' | 'tag' | 'other';
  /** A string without its quotes; a tag or link with its sign. */
  readonly text: string;
}

const TOKEN = /"((?:[^"\\]|\\.)*)"|([#^][^\s"#^]+)|(;)|([^\s";]+)|(")/gs;

/** Splits a directive into strings, tags, links and other words, up to a comment. */
export function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  for (const [, string, tag, comment, other, quote] of text.matchAll(TOKEN)) {
    if (comment !== undefined) break;
    if (string !== undefined) tokens.push({ kind: 'string', text: unescaped(string) });
    else if (tag !== undefined) tokens.push({ kind: 'tag', text: tag });
    else tokens.push({ kind: 'other', text: other ?? quote! });
  }
  return tokens;
}

/** Whether a string is open at the end of a line, given whether it was open before. */
export function endsInString(line: string, wasInString: boolean): boolean {
  let isInString = wasInString;
  for (let at = 0; at < line.length; at += 1) {
    const sign = line[at];
    if (isInString && sign === '\\') at += 1;
    else if (sign === '"') isInString = !isInString;
    else if (sign === ';' && !isInString) return false;
  }
  return isInString;
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/gs, (_, sign: string) =>
    sign === 'n' ? '\n' : sign === 't' ? '\t' : sign,
  );
}
