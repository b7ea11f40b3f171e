const UNDECOMPOSED: Record<string, string> = { ł: 'l', ø: 'o', đ: 'd', ß: 'ss', æ: 'ae' };

/** A word without what banks write in different ways: case, accents, `_`, runs of blanks, a byte order mark. */
export function folded(text: string): string {
  const bare = text.normalize('NFD').replace(/[\p{M}\uFEFF]/gu, '');
  return bare
    .toLowerCase()
    .replace(/[łøđßæ]/g, (letter) => UNDECOMPOSED[letter] ?? letter)
    .replace(/[\s_]+/g, ' ')
    .trim();
}
