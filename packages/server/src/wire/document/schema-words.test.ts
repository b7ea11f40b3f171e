import assert from 'node:assert/strict';
import { test } from 'node:test';
import { boundsWords, typeWords } from './schema-words.ts';

test('a type is named by its format, its words, its items or the object it refers to', () => {
  assert.equal(typeWords({ type: 'string' }), 'string');
  assert.equal(typeWords({ type: 'string', format: 'date' }), 'date');
  assert.equal(typeWords({ type: ['integer', 'null'], format: 'int64' }), 'integer or null');
  assert.equal(typeWords({ type: 'string', enum: ['a', 'b'] }), '`a`, `b`');
  const category = { $ref: '#/components/schemas/Category' };
  assert.equal(typeWords({ type: 'array', items: category }), 'array of [Category](#category)');
  const either = [
    { type: 'string', format: 'date' },
    { type: 'string', format: 'date-time' },
  ];
  assert.equal(typeWords({ anyOf: either }), 'date or date-time');
});

test('bounds are told in full, the largest safe integer as a power', () => {
  assert.equal(boundsWords({ minimum: 1, maximum: 2000 }), '1 to 2000');
  assert.equal(boundsWords({ minimum: 0, maximum: 2 ** 53 - 1 }), '0 to 2^53 - 1');
  assert.equal(boundsWords({ minimum: 0 }), 'at least 0');
  assert.equal(boundsWords({ maxLength: 75 }), '0 to 75 characters');
  assert.equal(boundsWords({ type: 'boolean' }), '');
});
