import * as fc from 'fast-check';
import { anyText } from '../../packages/core/src/testing/any-text.ts';
import { document, documents } from './document-check.ts';
import { newName } from './json-requests.ts';

/** Texts that an engine, an encoding or a comparison of names could handle wrongly. */
const oddText = fc.oneof(
  fc.constantFrom('', ' ', '\0', 'a\0b', '\ud800', 'x\udfff', '\uffff', 'ß', 'İ', 'e\u0301', '﷽'),
  fc.constantFrom('__proto__', "'; DROP TABLE tags; --", '%', '\u202e', 'a'.repeat(100_000)),
  anyText({ maxLength: 120 }),
);

/** Numbers as text, because JavaScript would not write all of them. */
const oddNumber = fc.constantFrom(
  '0',
  '-0',
  '-1',
  '0.5',
  '1e400',
  '1e-400',
  '9007199254740991',
  '9007199254740993',
  '9223372036854775807',
  '9223372036854775808',
  '1'.repeat(400),
);

const oddValue: fc.Arbitrary<string> = fc.oneof(
  oddText.map((text) => JSON.stringify(text)),
  oddNumber,
  fc.constantFrom('null', 'true', '[]', '{}', '[[]]', '{"id":null}', '{"id":1}', '[null]'),
  fc
    .array(
      fc.oneof(
        oddNumber,
        oddText.map((text) => JSON.stringify(text)),
      ),
      { maxLength: 5 },
    )
    .map((items) => `[${items.join()}]`),
  fc.constant(`[${Array.from({ length: 1001 }, () => 1).join()}]`),
  fc.constant(`${'['.repeat(31)}${']'.repeat(31)}`),
  fc.jsonValue().map((value) => JSON.stringify(value)),
);

const oddNames = ['__proto__', 'constructor', 'toString', 'book_id', ''];

/** The names of all properties in a part of a document. */
function propertyNamesIn(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return [];
  const { properties = {} } = node as { properties?: object };
  return [...Object.keys(properties), ...Object.values(node).flatMap(propertyNamesIn)];
}

/** A JSON object with some of these keys, which may be repeated; usually with a unique `name`. */
function oddObjectOf(names: readonly string[]): fc.Arbitrary<string> {
  const property = fc.constantFrom(...new Set([...names, ...oddNames]));
  return fc
    .tuple(fc.boolean(), fc.array(fc.tuple(property, oddValue), { maxLength: 4 }))
    .map(([isNamed, pairs]) => {
      const named = isNamed ? [`"name":${JSON.stringify(newName())}`] : [];
      return `{${[...named, ...pairs.map(([name, value]) => `"${name}":${value}`)].join()}}`;
    });
}

const { TagUpdate, CategoryUpdate, CategoryInsert } = document.components.schemas;
const allNames = propertyNamesIn(documents.map(({ components }) => components.schemas));

/** A body for tags and categories: a JSON object, usually with a unique `name`. */
export const oddObject = oddObjectOf(propertyNamesIn([TagUpdate, CategoryUpdate, CategoryInsert]));

/** Any JSON, usually an object with properties of any schema. */
export const oddBody: fc.Arbitrary<string> = fc.oneof(
  { weight: 5, arbitrary: oddObjectOf(allNames) },
  { weight: 1, arbitrary: oddValue },
);

/** Replaced in the text of a body, because JavaScript cannot write all odd values. */
const mark = 'an odd value';

/** Returns bodies like a good one in which one value is odd, or which has one more property, at any depth. */
export function oddlyChanged(good: unknown): fc.Arbitrary<string> {
  const added = fc.constantFrom(...new Set(allNames));
  const places = placesIn(good);
  return fc
    .tuple(fc.nat(places.length - 1), fc.boolean(), added, oddValue)
    .map(([at, isAdded, name, value]) => {
      const copy = structuredClone({ root: good });
      const keys = ['root', ...places[at]!];
      let parent: Record<string, unknown> = copy;
      for (const key of keys.slice(0, -1)) parent = parent[key] as Record<string, unknown>;
      const target = parent[keys.at(-1)!];
      if (isAdded && isPlainObject(target)) target[name] = mark;
      else parent[keys.at(-1)!] = mark;
      return JSON.stringify(copy.root).replace(JSON.stringify(mark), () => value);
    });
}

/** The keys that lead to each value of a tree, beginning with none for the tree itself. */
function placesIn(node: unknown): string[][] {
  const children = typeof node === 'object' && node !== null ? Object.entries(node) : [];
  return [[], ...children.flatMap(([key, child]) => placesIn(child).map((rest) => [key, ...rest]))];
}

function isPlainObject(node: unknown): node is Record<string, unknown> {
  return typeof node === 'object' && node !== null && !Array.isArray(node);
}
