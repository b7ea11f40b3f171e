const UNDECOMPOSED: Record<string, string> = {
  ł: 'l',
  ø: 'o',
  đ: 'd',
  ß: 'ss',
  æ: 'ae',
  ı: 'i',
  ђ: 'đ',
};

// Most texts need none of the steps, or only some.
const PLAIN = /^[a-z]+$/;
const ASCII = /^[\x20-\x5f\x61-\x7e]*$/;
const GAPS = /[_\s][_\s]|_|[^\S ]|^\s|\s$/;

/** Normalizes what banks write in different ways: case, accents, `_`, runs of spaces, invisible characters. */
export function folded(text: string): string {
  if (PLAIN.test(text)) return text;
  if (ASCII.test(text)) return withoutGaps(text.toLowerCase());
  const bare = text.normalize('NFKD').replace(/[\p{M}\p{Cf}]/gu, '');
  const lower = bare
    .toLowerCase()
    .replace(/[łøđßæı]/g, (letter) => UNDECOMPOSED[letter] ?? letter)
    .replace(/[’‘`´]/g, "'");
  return withoutGaps(/[а-яіїєґў]/.test(lower) ? inCyrillic(lower) : lower);
}

const LATIN = 'acehikmoptxy';
const CYRILLIC = 'асенікмортху';

/** Latin letters inside Cyrillic words that look alike, such as the first one of `Cума`, as the Cyrillic ones. */
function inCyrillic(text: string): string {
  return text.replace(/\S+/g, (word) =>
    /[а-яіїєґў]/.test(word) || word.length === 1
      ? word.replace(/[acehikmoptxy]/g, (letter) => CYRILLIC[LATIN.indexOf(letter)] ?? letter)
      : word,
  );
}

/** Returns the text without such characters at its end. An expression for all of them would try each run of them. */
export function withoutEnd(text: string, character: RegExp): string {
  let end = text.length;
  while (end > 0 && character.test(text[end - 1]!)) end -= 1;
  return text.slice(0, end);
}

function withoutGaps(text: string): string {
  return GAPS.test(text) ? text.replace(/[\s_]+/g, ' ').trim() : text;
}

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
