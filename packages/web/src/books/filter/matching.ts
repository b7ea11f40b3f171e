/** Something that is found by its name. */
export interface Named {
  readonly name: string;
  /** Other words that find it, such as the name of its group. */
  readonly context?: string;
}

const most = 50;

/** Returns a text without case and accents, for comparing. */
export function fold(text: string): string {
  return text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
}

/**
 * Returns the items that a typed text finds, the best first: names that begin with it, names with a word that begins
 * with it, names that contain it, then those whose context does. Without a text all, as they are.
 */
export function matching<Item extends Named>(items: readonly Item[], typed: string): Item[] {
  const text = fold(typed.trim());
  if (text === '') return [...items];
  const ranked = items.flatMap((item) => {
    const rank = rankOf(item, text);
    return rank === null ? [] : [{ item, rank }];
  });
  return ranked
    .toSorted((one, other) => one.rank - other.rank)
    .slice(0, most)
    .map(({ item }) => item);
}

function rankOf({ name, context = '' }: Named, text: string): number | null {
  const folded = fold(name);
  if (folded.startsWith(text)) return 0;
  const words = folded.split(/[^\p{L}\p{N}]+/u);
  if (words.some((word) => word.startsWith(text))) return 1;
  if (folded.includes(text)) return 2;
  return fold(`${context} ${name}`).includes(text) ? 3 : null;
}
