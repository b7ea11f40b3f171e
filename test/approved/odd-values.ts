import { asJson, componentOf } from '../../packages/server/src/operations/schema.ts';
import type { SchemaJson } from '../../packages/server/src/operations/schema.ts';

/** A value with the name of its case. */
type Case = readonly [name: string, value: unknown];

function resolved(schema: SchemaJson): SchemaJson {
  const name = schema.$ref?.split('/').at(-1);
  return name === undefined ? schema : asJson(componentOf(name));
}

const wrongTypes: Readonly<Record<string, unknown>> = {
  string: 5,
  integer: 'x',
  number: 'x',
  boolean: 'yes',
  array: {},
  object: [],
};
const samples: Readonly<Record<string, unknown>> = { integer: 2, number: 2.5, boolean: true };
/** A text longer than this is not sent. */
const longest = 3000;
/** How many words of a list are sent. */
const mostWords = 8;

/** Returns values at the bounds of a schema and just outside, a value of another type, and an ordinary one. */
export function valuesOf(schema: SchemaJson): Case[] {
  const { type, anyOf = [], format, enum: words, minimum, maximum, ...rest } = resolved(schema);
  const { minLength = 0, maxLength = longest, maxItems = longest, items } = rest;
  const [first = ''] = [type].flat().filter((each) => each !== 'null');
  const inAny = anyOf.flatMap((each) => valuesOf(each));
  return [
    ...inAny,
    ['null', null],
    ...(first in wrongTypes ? [['another type', wrongTypes[first]] as const] : []),
    ...(first in samples ? [['usual', samples[first]] as const] : []),
    ...(words ?? []).slice(0, mostWords).map((word) => [`${word}`, word] as const),
    ...(minimum === undefined ? [] : around('min', minimum)),
    ...(maximum === undefined ? [] : around('max', maximum)),
    ...(first === 'string' && words === undefined ? texts(format, minLength, maxLength) : []),
    ...(first === 'array' && items !== undefined && maxItems < longest ? lists(maxItems) : []),
  ];
}

function around(name: string, bound: number): Case[] {
  return (name === 'min' ? [-1, 0] : [0, 1]).map((by) => [
    `${name}${by === 0 ? '' : by > 0 ? '+1' : '-1'}`,
    bound + by,
  ]);
}

function texts(format: string | undefined, min: number, max: number): Case[] {
  if (format === 'date') return ['2024-02-29', '2026-02-30', '26-1-1'].map((day) => [day, day]);
  if (format === 'date-time') return [['time', '2026-02-03T04:05:06.789Z']];
  return [
    ['amount', '12.3456'],
    ...(min > 0 ? [['too short', 'a'.repeat(min - 1)] as const] : []),
    ...(max < longest ? [['longest', 'a'.repeat(max)] as const] : []),
    ...(max < longest ? [['too long', 'a'.repeat(max + 1)] as const] : []),
  ];
}

function lists(max: number): Case[] {
  return [
    ['empty', []],
    ['too many', Array.from({ length: max + 1 }, (_, n) => n + 1)],
  ];
}

/** A place of a body: the keys that lead to it, and its schema. `0` is the first element of a list. */
export interface Place {
  readonly keys: readonly string[];
  readonly schema: SchemaJson;
}

/** Returns the places of a body: properties, those of objects in it, and of the first objects of lists. */
export function placesIn(schema: SchemaJson, keys: readonly string[] = []): Place[] {
  const { properties = {}, items, anyOf = [] } = resolved(schema);
  const inner = [
    ...Object.entries(properties).flatMap(([name, each]) => placesIn(each, [...keys, name])),
    ...(items === undefined ? [] : placesIn(items, [...keys, '0'])),
    ...anyOf.flatMap((each) => placesIn(each, keys).filter((place) => place.keys !== keys)),
  ];
  return [...(keys.length > 0 ? [{ keys, schema }] : []), ...inner];
}

/** Returns a body with another value in a place; undefined removes it. Null without such a place. */
export function withValue(
  body: unknown,
  [key = '', ...rest]: readonly string[],
  value: unknown,
): unknown {
  if (typeof body !== 'object' || body === null) return null;
  const inner = (body as Record<string, unknown>)[key];
  const changed = rest.length === 0 ? value : withValue(inner, rest, value);
  if (rest.length > 0 && changed === null) return null;
  if (Array.isArray(body)) return body.with(Number(key), changed);
  const others = Object.entries(body).filter(([name]) => name !== key);
  return Object.fromEntries(changed === undefined ? others : [...others, [key, changed]]);
}
