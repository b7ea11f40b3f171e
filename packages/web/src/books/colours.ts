/** Returns the colour of 3 or 6 hexadecimal digits in the form `#rrggbb`; null when it is none. */
export function fullColour(text: string | null): string | null {
  const digits = /^#?([\da-f]{3}|[\da-f]{6})$/i.exec(text ?? '')?.[1]?.toLowerCase();
  if (digits === undefined) return null;
  return `#${digits.length === 6 ? digits : [...digits].map((digit) => digit + digit).join('')}`;
}

/** Returns black or white, whichever has more contrast on the background, by WCAG 2.2. */
export function readableOn(background: string): '#000000' | '#ffffff' {
  const colour = fullColour(background) ?? '#ffffff';
  const parts = [1, 3, 5].map((at) => linear(Number.parseInt(colour.slice(at, at + 2), 16) / 255));
  const [red = 0, green = 0, blue = 0] = parts;
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  return (luminance + 0.05) ** 2 > 1.05 * 0.05 ? '#000000' : '#ffffff';
}

function linear(part: number): number {
  return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
}
