/** Writes the decimal digits of every script as ASCII. Source: Unicode, general category Nd: runs from zero to nine. */
export function withAsciiDigits(text: string): string {
  return text.replace(/(?![0-9])\p{Nd}/gu, (digit) => String(valueOf(digit.codePointAt(0)!)));
}

function valueOf(code: number): number {
  // The five runs of mathematical digits follow one another, and begin at no multiple of ten.
  if (code >= 0x1d7ce && code <= 0x1d7ff) return (code - 0x1d7ce) % 10;
  let zero = code;
  while (code - zero < 9 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return code - zero;
}
