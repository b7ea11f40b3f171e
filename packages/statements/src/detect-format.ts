/** A kind of file that its content gives away; whatever else is text is taken for CSV. */
export type DetectedFormat = 'csv' | 'ofx' | 'qif' | 'mt940' | 'camt' | 'pdf' | 'xlsx' | 'xls';

const LOOKED_AT_BYTES = 4096;

const SIGNS: readonly (readonly [DetectedFormat, RegExp])[] = [
  ['pdf', /^%PDF-/],
  ['xlsx', /^PK\x03\x04/],
  ['xls', /^\xd0\xcf\x11\xe0/],
  ['ofx', /^\s*(?:OFXHEADER:|<\?xml[^>]*>\s*<\?OFX |(?:<\?xml[^>]*>\s*)?<OFX>)/],
  ['camt', /^\s*<[^]*<Document[^>]*camt\.05[234]/],
  ['qif', /^[ \t]*!(?:Type:|Account|Option:|Clear:)/im],
  ['mt940', /^(?:\{4:\s*)?:20:[^]*^:(?:25|28C?|60[FM]|34F|13D?):/m],
];

/** Tells formats apart by the first bytes of a file's unpacked content. */
export function detectFormat(head: Uint8Array): DetectedFormat {
  const bytes = Buffer.from(head.subarray(0, LOOKED_AT_BYTES));
  const text = bytes.toString('latin1').replace(/^ï»¿/, '');
  return SIGNS.find(([, sign]) => sign.test(text))?.[0] ?? 'csv';
}
