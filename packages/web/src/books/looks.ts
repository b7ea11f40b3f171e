import { fullColour, readableOn } from './colours.ts';
import type { Schemas } from './types.ts';

/** What people choose for a category: the name of a symbol or a character, and a colour such as `#0a6c4f`. */
export type Look = Pick<Schemas['CategorySettings'], 'icon' | 'colour'>;

/** Returns the character that was chosen, or the first letter of the name; an empty text without a name. */
export function letterOf(name: string, icon: string | null): string {
  // A name of a symbol that the UI does not have counts as no choice.
  if (icon !== null && !/^[ -~]{2,}$/.test(icon)) return icon;
  return ([...name.trim()][0] ?? '').toLocaleUpperCase();
}

/** Returns a chosen colour and what is readable on it; undefined for the usual, soft ground. */
export function groundOf(
  colour: string | null,
): { readonly backgroundColor: string; readonly color: string } | undefined {
  const backgroundColor = fullColour(colour);
  return backgroundColor === null
    ? undefined
    : { backgroundColor, color: readableOn(backgroundColor) };
}

const colours = 9;

/** Returns one of the colours of charts for a name, whatever its letter case. */
export function colourOf(name: string): number {
  const letters = [...name.trim().toLowerCase()];
  return (
    1 + (letters.reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)!) % 9973, 7) % colours)
  );
}
