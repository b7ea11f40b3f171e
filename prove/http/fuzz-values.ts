import fc, { type Arbitrary } from 'fast-check';
import { resolved, type Schema } from './api-document.ts';

/** Property names that every object inherits, and similar ones. */
export const poison = '__proto__ constructor prototype toString hasOwnProperty then'.split(' ');
const oddNumbers = ['0', '-1', '1.0', '1e2', '0x10', '+5', ' 5', '', 'null', '٣', '9'.repeat(40)];
const oddDates = ['2023-02-29', '2023-13-01', '0000-01-01', '20230105', 'today', '2023-1-5', 'NaN'];
const attacks = ["' OR 1=1 --", '%00', '../../etc/passwd', '${7*7}', '<script>', '%', '%e2%28%a1'];

const targetText = fc
  .array(fc.integer({ min: 0x21, max: 0x7e }), { maxLength: 30 })
  .map((codes) => String.fromCharCode(...codes));
const escaped = fc.string({ unit: 'binary', maxLength: 20 }).map(escapeText);
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

/** A few names in several spellings, so that some are already used. */
const names = fc.constantFrom('Rent', ' rent', 'RENT ', 'Straße', 'STRASSE', 'é', 'e\u0301');
const texts = fc.oneof(
  names,
  fc.string({ minLength: 1, maxLength: 30 }),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom('', ' ', '\0', 'a\0b', '\ud800', 'x'.repeat(100), 'x'.repeat(101), '\u{1F600}'),
  fc.constantFrom(...poison, ...attacks),
);
/** Values of texts by the names of properties, where the schema describes too little. */
const textsNamed: Readonly<Record<string, Arbitrary<unknown>>> = {
  coingecko_url: fc
    .constantFrom('ethereum', 'bitcoin')
    .map((coin) => `https://www.coingecko.com/en/coins/${coin}`),
  month: fc.constantFrom('2025-01', '2025-02', '2025-12', '2025-13', '0000-01'),
  symbol: fc.constantFrom('btc', 'eth', 'BTC', null),
};
const anything = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  texts,
  fc.constantFrom(0, -1, 0.5, 2 ** 53 - 1, 2 ** 53, 1e300, null, true, [], {}),
);

export function bodyOf(schema: Schema): Arbitrary<unknown> {
  const { anyOf, type, items = {}, enum: words } = resolved(schema);
  if (anyOf !== undefined) return fc.oneof(...anyOf.map(bodyOf));
  if (words !== undefined) return fc.constantFrom(...words);
  const ofType = (name: string): Arbitrary<unknown> => {
    if (name === 'null') return fc.constant(null);
    if (name === 'boolean') return fc.boolean();
    if (name === 'integer') return fc.oneof(fc.integer({ min: 1, max: 20 }), anything);
    if (name === 'array') return fc.array(bodyOf(items), { maxLength: 4 });
    if (name === 'string') return textOf(resolved(schema));
    return name === 'object' ? objectOf(resolved(schema)) : anything;
  };
  return fc.oneof(...[type ?? 'any'].flat().map(ofType));
}

function textOf({ pattern, format }: Schema): Arbitrary<string> {
  if (format === 'date') return fc.constantFrom('2025-01-01', '2024-02-29', ...oddDates);
  // Nothing listens there.
  if (format === 'uri') return fc.constantFrom('http://127.0.0.1:9/', 'https://10.0.0.1/', 'a');
  if (pattern?.startsWith('^') === true) return fc.stringMatching(new RegExp(pattern));
  if (format === 'date-time')
    return fc.constantFrom('2026-01-02T03:04:05.678Z', '0001-01-01T00:00:00Z', ...oddDates);
  return texts;
}

/** Generates objects with the required properties and up to three more. */
function objectOf({ properties = {}, required = [] }: Schema): Arbitrary<unknown> {
  const more = fc.dictionary(fc.constantFrom('x', ...poison), anything, { maxKeys: 2 });
  const known = fc
    .shuffledSubarray(Object.keys(properties))
    .chain((names) => fc.record(picked(properties, [...required, ...names.slice(0, 3)])));
  return fc.oneof(
    { weight: 8, arbitrary: known },
    { weight: 1, arbitrary: fc.tuple(known, more).map(joined) },
  );
}

function picked(properties: Readonly<Record<string, Schema>>, names: readonly string[]) {
  const usual = (name: string): Arbitrary<unknown> =>
    textsNamed[name] ?? bodyOf(properties[name] ?? {});
  return Object.fromEntries(
    names.map((name) => [
      name,
      fc.oneof({ weight: 15, arbitrary: usual(name) }, { weight: 1, arbitrary: anything }),
    ]),
  );
}

/** Joins the properties of some objects, including `__proto__`. */
function joined(objects: readonly object[]): object {
  return Object.fromEntries(objects.flatMap((each) => Object.entries(each)));
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
