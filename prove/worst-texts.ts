/** What a class stands for, and letters that most expressions know. */
const classes: readonly (readonly [sign: string, members: string])[] = [
  ['\\d', '09'],
  ['\\s', ' \t\n'],
  ['\\w', 'aZ_'],
  ['\\p{L}', 'é'],
  ['\\p{Sc}', '€'],
  ['[^', '!'],
  ['.', 'x'],
];
/** Ends that spoil a match that was nearly there. */
const ends = ['', '\u0000', '\n!'];
const mostCharacters = 16;

/**
 * Long texts made of what an expression is made of, the ones most likely to make it go back and forth: each of its
 * characters over and over, then pairs and triples of them, with an end that fits and ends that spoil it.
 */
export function* worstTexts(source: string, length: number): Generator<string> {
  const alphabet = alphabetOf(source);
  for (const one of alphabet) for (const end of ends) yield one.repeat(length) + end;
  for (const pair of pairs(alphabet)) yield pair.repeat(length / 2) + ends[1]!;
  for (const literal of literalsIn(source)) {
    yield literal.repeat(length / literal.length);
    for (const one of alphabet) yield literal + one.repeat(length) + ends[1]!;
  }
}

function alphabetOf(source: string): string[] {
  const members = classes.flatMap(([sign, of]) => (source.includes(sign) ? Array.from(of) : []));
  const bare = source.replaceAll(/\\[dDsSwWbBpPuxk](?:\{[^}]*\})?|[\\()[\]{}|?*+^$]/g, '');
  const all = new Set([...members, ...Array.from(`${bare}a0 `)]);
  return [...all].slice(0, mostCharacters);
}

function pairs(alphabet: readonly string[]): string[] {
  return alphabet.flatMap((one) => alphabet.filter((two) => two !== one).map((two) => one + two));
}

/** Stretches that stand in the expression as they are. */
function literalsIn(source: string): string[] {
  return [...new Set(source.match(/[A-Za-z<>:/%!-]{2,}/g) ?? [])].slice(0, 4);
}
