import { readFileSync } from 'node:fs';
import fc, { type Arbitrary } from 'fast-check';

/** As much of a schema as values are made from. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}
/** A parameter of an operation. */
export interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly schema: Schema;
}
/** As much of an operation as requests are made from. */
export interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content?: Readonly<Record<string, { schema: Schema }>> };
}

/** The API document that the service publishes. */
export const document = JSON.parse(
  readFileSync(new URL('../docs/openapi.json', import.meta.url), 'utf8'),
) as { paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> };

/** What a reference leads to, or the value itself. */
export function resolved<T extends { readonly $ref?: string }>(value: T): T {
  if (value.$ref === undefined) return value;
  const keys = value.$ref.slice('#/'.length).split('/');
  return keys.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], document) as T;
}

/** Names that every object has. */
export const poison = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'then',
];
const oddNumbers = ['0', '-1', '1.0', '1e2', '0x10', '+5', ' 5', '', 'null', '٣', '9'.repeat(40)];
const oddDates = ['2023-02-29', '2023-13-01', '0000-01-01', '20230105', 'today', '2023-1-5', 'NaN'];
const attacks = ["' OR 1=1 --", '%00', '../../etc/passwd', '${7*7}', '<script>', '%', '%e2%28%a1'];

/** What may stand in a request target without breaking the request line. */
const targetText = fc
  .array(fc.integer({ min: 0x21, max: 0x7e }), { maxLength: 30 })
  .map((codes) => String.fromCharCode(...codes));
const escaped = fc.string({ unit: 'binary', maxLength: 20 }).map(escapeText);
/** Text of any kind that does not break the request line. */
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

/** Mostly what the document asks for, now and then anything. */
export function mostly(schema: Schema): Arbitrary<string> {
  return fc.oneof({ weight: 5, arbitrary: valueOf(schema) }, { weight: 1, arbitrary: garbage });
}
