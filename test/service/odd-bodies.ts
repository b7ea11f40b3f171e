import * as fc from 'fast-check';
import { newName } from './good-requests.ts';

/** Texts that an engine, an encoding or a comparison of names could handle wrongly. */
const oddText = fc.oneof(
  fc.constantFrom('', ' ', '\0', 'a\0b', '\ud800', 'x\udfff', '\uffff', 'ß', 'İ', 'e\u0301', '﷽'),
  fc.constantFrom('__proto__', "'; DROP TABLE tags; --", '%', '\u202e', 'a'.repeat(100_000)),
  fc.string({ unit: 'binary', maxLength: 120 }),
);

/** Numbers as text, because JavaScript would not write all of them. */
const oddNumber = fc.constantFrom(
  ...['0', '-0', '-1', '0.5', '1e400', '1e-400', '9007199254740991', '9007199254740993'],
  ...['9223372036854775807', '9223372036854775808', '1'.repeat(400)],
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

const property = fc.constantFrom(
  ...['id', 'name', 'description', 'archived', 'archived_at', 'created_at', 'text_color'],
  ...['background_color', 'is_income', 'is_group', 'group_id', 'children', 'order', 'collapsed'],
  ...['exclude_from_budget', '__proto__', 'constructor', 'toString', 'book_id', ''],
);

/** A JSON object whose keys may be repeated, usually with a unique `name`. */
export const oddObject: fc.Arbitrary<string> = fc
  .tuple(fc.boolean(), fc.array(fc.tuple(property, oddValue), { maxLength: 4 }))
  .map(([isNamed, pairs]) => {
    const named = isNamed ? [`"name":${JSON.stringify(newName())}`] : [];
    return `{${[...named, ...pairs.map(([name, value]) => `"${name}":${value}`)].join()}}`;
  });

/** Any JSON, usually an object. */
export const oddBody: fc.Arbitrary<string> = fc.oneof(
  { weight: 5, arbitrary: oddObject },
  { weight: 1, arbitrary: oddValue },
);
