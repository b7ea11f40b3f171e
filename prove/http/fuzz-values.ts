import fc, { type Arbitrary } from 'fast-check';
import { anyText } from '../../packages/core/src/testing/any-text.ts';
import { resolved, type Schema } from './api-document.ts';

/** Property names that every object inherits, and similar ones. */
export const poison = '__proto__ constructor prototype toString hasOwnProperty then'.split(' ');
const oddNumbers = ['0', '-1', '1.0', '1e2', '0x10', '+5', ' 5', '', 'null', '٣', '9'.repeat(40)];
const oddDates = ['2023-02-29', '2023-13-01', '0000-01-01', '20230105', 'today', '2023-1-5', 'NaN'];
const attacks = ["' OR 1=1 --", '%00', '../../etc/passwd', '${7*7}', '<script>', '%', '%e2%28%a1'];

const targetText = fc
  .array(fc.integer({ min: 0x21, max: 0x7e }), { maxLength: 30 })
  .map((codes) => String.fromCharCode(...codes));
const escaped = anyText({ maxLength: 20 }).map(escapeText);
/** Text of any kind, escaped where it would break the request line. */
export const garbage = fc.oneof(
  targetText,
  escaped,
  fc.constantFrom(...poison, ...oddNumbers, ...oddDates, ...attacks).map(escapeText),
);

function escapeText(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

function valueOf(schema: Schema): Arbitrary<string> {
  const {
    enum: words,
    anyOf,
    type,
    format,
    minimum = -5,
    maximum = 2 ** 53 - 1,
  } = resolved(schema);
  if (anyOf !== undefined) return fc.oneof(...anyOf.map(valueOf));
  if (words !== undefined) return fc.constantFrom(...words.map(String));
  if (type === 'boolean') return fc.constantFrom('true', 'false');
  if (type === 'integer') {
    const upTo = (most: number): Arbitrary<number> =>
      fc.integer({ min: Math.max(minimum, -5), max: Math.min(maximum, most) });
    return fc.oneof(upTo(5), upTo(300), fc.constantFrom(minimum, maximum)).map(String);
  }
  const day = fc.date({
    min: new Date('2016-01-01'),
    max: new Date('2027-01-01'),
    noInvalidDate: true,
  });
  if (format === 'date') return day.map((date) => date.toISOString().slice(0, 10));
  if (format === 'date-time') return day.map((date) => date.toISOString());
  return garbage;
}

export function mostly(schema: Schema): Arbitrary<string> {
  return fc.oneof({ weight: 5, arbitrary: valueOf(schema) }, { weight: 1, arbitrary: garbage });
}

const boundary = 'FuzzBoundary';
const line = `\r\n--${boundary}`;
/** Beginnings of files, which decide about their type. */
const contents = ['%PDF-1.7\n', '\x89PNG\r\n\x1a\n', 'GIF89a', '', line, 'x'.repeat(5000)];
const types = ['application/pdf', 'image/png', 'text/html', '', 'image/jpeg; a="', '*/*'];
const fileNames = ['a.pdf', '../../etc/passwd', '', 'a"b', "*=UTF-8''%00", '\u{1F600}.png', '\0'];
const odd = fc.oneof(fc.string({ maxLength: 20 }), fc.constantFrom('\r\n', '--', line, '\0', '"'));

function filePart(name: string, type: string, content: string): string {
  const head = `Content-Disposition: form-data; name="file"; filename="${name}"`;
  return `${head}\r\nContent-Type: ${type}\r\n\r\n${content}`;
}

const file = fc
  .tuple(fc.constantFrom(...fileNames), fc.constantFrom(...types), fc.constantFrom(...contents))
  .map((three) => filePart(...three));
const pdf = filePart('a.pdf', 'application/pdf', '%PDF-1.7\n');
const csv = filePart('a.csv', 'text/csv', 'Date,Payee,Amount\n2025-03-02,Shop,-1.50\n');
const text = fc
  .tuple(fc.constantFrom('notes', 'notes', 'account', 'file', '__proto__', '', 'x"'), odd)
  .map(([name, value]) => `Content-Disposition: form-data; name="${name}"\r\n\r\n${value}`);
const part = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(pdf, csv) },
  { weight: 3, arbitrary: file },
  { weight: 2, arbitrary: text },
  { weight: 1, arbitrary: odd },
);
const end = fc.oneof(
  { weight: 8, arbitrary: fc.constant(`${line}--\r\n`) },
  { weight: 1, arbitrary: odd },
);

export const formSketch: {
  readonly type: Arbitrary<string | null>;
  readonly body: Arbitrary<string>;
} = {
  type: fc.oneof(
    { weight: 9, arbitrary: fc.constant(`multipart/form-data; boundary=${boundary}`) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        'multipart/form-data',
        'multipart/form-data; boundary=',
        'application/json',
        null,
        `multipart/form-data; boundary="${boundary}"`,
      ),
    },
  ),
  body: fc
    .tuple(fc.array(part, { minLength: 1, maxLength: 3 }), end)
    .map(([parts, last]) =>
      (parts.map((each) => `${line}\r\n${each}`).join('') + last).slice('\r\n'.length),
    ),
};
