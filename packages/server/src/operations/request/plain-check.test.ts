import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { described, describedCoffer, describedV1 } from '../../all.ts';
import { asJson, type SchemaJson } from '../schema.ts';
import { compile, plainCheck } from './request-reader.ts';

const schemas = [described(), describedV1(), describedCoffer()]
  .flatMap(({ operations }) => operations)
  .flatMap(({ declaration: { id, params, query } }) =>
    [params, query].flatMap((schema) => (schema === undefined ? [] : [{ id, schema }])),
  );

test('parameters without doubt are valid for the validator too, with the same defaults', async () => {
  const seen = { plain: 0, doubtful: 0 };
  for (const { id, schema } of schemas) {
    const check = plainCheck(schema);
    const validate = await compile({ query: schema }, false);
    const { properties = {} } = asJson(schema);
    const names = Object.entries<SchemaJson>({ ...properties, unknown: {} });
    const parameters = names.map(([name, property]) => {
      const { minimum = 1, maximum = 9, enum: words = [] } = property;
      const values = [minimum, maximum, minimum - 1, maximum + 1, 1.5, true, '', ...words];
      return fc.tuple(fc.constant(name), fc.constantFrom<unknown>(...values));
    });
    const some = fc
      .array(fc.oneof(...parameters), { maxLength: 3 })
      .map((pairs): Record<string, unknown> => Object.fromEntries(pairs));
    fc.assert(
      fc.property(some, (values) => {
        const [own, others] = [{ ...values }, { query: { ...values } }];
        seen[check(own) ? 'plain' : 'doubtful'] += 1;
        if (!check(own)) return;
        assert.ok(validate(others), `${id} ${JSON.stringify(values)}`);
        assert.deepEqual(own, others.query);
      }),
      { numRuns: 60 },
    );
  }
  assert.ok(Math.min(seen.plain, seen.doubtful) > 500, JSON.stringify(seen));
});

test('a page with plain parameters needs no validator', () => {
  const { schema } = schemas.find(({ id }) => id === 'getAllTransactions')!;
  assert.ok(plainCheck(schema)({ limit: 5, status: 'reviewed', is_pending: false }));
});
