const UNDECOMPOSED: Record<string, string> = {
  ł: 'l',
  ø: 'o',
  đ: 'd',
  ß: 'ss',
  æ: 'ae',
  ı: 'i',
  ђ: 'đ',
};

/** Normalizes what banks write in different ways: case, accents, `_`, runs of spaces, invisible characters. */
export function folded(text: string): string {
  const bare = text.normalize('NFKD').replace(/[\p{M}\p{Cf}]/gu, '');
  return bare
    .toLowerCase()
    .replace(/[łøđßæı]/g, (letter) => UNDECOMPOSED[letter] ?? letter)
    .replace(/[’‘`´]/g, "'")
    .replace(/[\s_]+/g, ' ')
    .trim();
}

/** The folded words of a list that is separated by `|`. */
export function wordsOf(list: string | undefined): string[] {
  return list === undefined ? [] : list.split('|').map(folded);
}
