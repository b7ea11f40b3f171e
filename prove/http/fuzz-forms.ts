import fc, { type Arbitrary } from 'fast-check';
import type { Operation } from './api-document.ts';

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
        ...['multipart/form-data', 'multipart/form-data; boundary=', 'application/json', null],
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

export function plainForm({
  path,
}: Pick<Operation, 'path'>): Arbitrary<{ type: string; text: string }> {
  const part = path === '/coffer/imports' ? csv : pdf;
  return fc.constant({
    type: `multipart/form-data; boundary=${boundary}`,
    text: `--${boundary}\r\n${part}${line}--\r\n`,
  });
}
