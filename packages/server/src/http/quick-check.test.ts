import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { isCalendarDate, isDateTime } from './calendar.ts';
import type { OpenApiDocument, ParameterValue, Schema } from './openapi-document.ts';
import { conforms } from './quick-check.ts';
import { openapiBytes } from './testing/test-app.ts';

const document = JSON.parse(openapiBytes.toString()) as OpenApiDocument;
const ajv = new Ajv2020({
  strict: false,
  validateSchema: false,
  formats: { date: isCalendarDate, 'date-time': isDateTime, int64: true },
});

/** Every parameter schema of the document, by its name. */
const schemas = new Map<string, Schema>(
  Object.values(document.paths)
    .flatMap((path) => Object.values(path))
    .flatMap(({ parameters = [] }) => parameters)
    .filter(({ in: place }) => place !== 'header')
    .map(({ name, schema }) => [name, schema]),
);

const value = fc.oneof(
  fc.integer(),
  fc.constantFrom(0, 1, 2000, 2001, -1, 2 ** 53 - 1, 2 ** 53, 0.5, Number.NaN),
  fc.boolean(),
  fc.constantFrom('2024-02-29', '2023-02-29', '2024-01-01T00:00:00Z', 'reviewed', 'nested', ''),
  fc.constantFrom('a'.repeat(25), 'a'.repeat(26), '🪙'.repeat(25), '🪙'.repeat(26)),
  fc.string(),
) as fc.Arbitrary<ParameterValue>;

describe('the quick check of a parameter', () => {
  it('knows every keyword that the parameters of the document have', () => {
    assert.ok(schemas.size > 20);
    const good: readonly ParameterValue[] = [1, true, '2024-02-29', 'reviewed', 'nested'];
    for (const [name, schema] of schemas) {
      assert.ok(
        good.some((each) => conforms(each, schema, document)),
        name,
      );
    }
  });

  for (const [name, schema] of schemas) {
    const validate = ajv.compile({ ...schema, components: document.components });
    it(`says of ${name} what the full validator says`, () => {
      fc.assert(
        fc.property(value, (each) => {
          // Query values are whole numbers that a double holds; the reader makes no others.
          fc.pre(typeof each !== 'number' || Number.isSafeInteger(each));
          assert.equal(conforms(each, schema, document), validate(each));
        }),
      );
    });
  }

  it('leaves a schema with an unknown keyword to the full validator', () => {
    const schema = { type: 'string', pattern: '^abc$' } as unknown as Schema;
    assert.equal(conforms('abc', schema, document), false);
  });
});
