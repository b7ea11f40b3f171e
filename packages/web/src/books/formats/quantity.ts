import { separatorsOf } from './money.ts';

/** Returns a decimal as the locale writes it, without groups and without zeros at the end, for editing. */
export function formatQuantity(decimal: string, locale: string): string {
  let end = decimal.length;
  if (decimal.includes('.')) while (decimal[end - 1] === '0') end -= 1;
  if (decimal[end - 1] === '.') end -= 1;
  return decimal.slice(0, end).replace('.', separatorsOf(locale).decimal);
}

/**
 * Parses what a person typed as a decimal with at most `places` decimals; null if it is none.
 *
 * Groups are allowed as the locale writes them.
 */
export function parseQuantity(text: string, locale: string, places: number): string | null {
  const { decimal, group } = separatorsOf(locale);
  const bare = text.replaceAll(/[\s\u00a0\u202f'’]/g, '').replace('\u2212', '-');
  const plain = (group === '' ? bare : bare.replaceAll(group, '')).replace(decimal, '.');
  const found = /^-?\d{1,15}(?:\.(\d*))?$/.exec(plain);
  if (found === null || (found[1] ?? '').length > places) return null;
  return plain.replace(/\.$/, '');
}
