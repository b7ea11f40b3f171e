import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SchemaJson } from '../../packages/server/src/wire/schema-json.ts';
import { referenced } from '../../packages/server/src/wire/document/interface.ts';
import { typeWords } from './type-words.ts';

const words = (schema: SchemaJson) => typeWords(schema, (name) => `[${name}](x.md)`);
const category = { $ref: '#/components/schemas/Category' };

test('a type is named by its format, its words, its items or the object it refers to', () => {
  assert.equal(words({ type: 'string' }), 'string');
  assert.equal(words({ type: 'string', format: 'date' }), 'date');
  assert.equal(words({ type: ['integer', 'null'], format: 'int64' }), 'integer or null');
  assert.equal(words({ type: 'string', enum: ['a', 'b'] }), '`a`, `b`');
  assert.equal(words({ type: ['string', 'null'], enum: ['a', null] }), '`a` or null');
  assert.equal(words({ type: 'array', items: category }), 'array of [Category](x.md)');
  const either = [
    { type: 'string', format: 'date' },
    { type: 'string', format: 'date-time' },
  ];
  assert.equal(words({ anyOf: either }), 'date or date-time');
  assert.equal(words({ description: 'Ignored.' }), 'any');
});

test('bounds follow the type; those of ids and of exact integers are omitted', () => {
  const maximum = Number.MAX_SAFE_INTEGER;
  assert.equal(words({ type: 'integer', minimum: 1, maximum: 2000 }), 'integer, 1 to 2000');
  assert.equal(words({ type: 'integer', minimum: 0, maximum }), 'integer, at least 0');
  assert.equal(words({ type: 'integer', minimum: 0 }), 'integer, at least 0');
  assert.equal(words({ type: 'integer', minimum: 1, maximum }), 'integer');
  assert.equal(words({ type: 'integer', minimum: -maximum, maximum }), 'integer');
  assert.equal(words({ type: 'string', maxLength: 75 }), 'string, at most 75 characters');
  assert.equal(words({ type: 'integer', minimum: 0, maximum: 9 }), 'integer, 0 to 9');
  const many = { type: 'array', items: category, minItems: 1, maxItems: 500 };
  assert.equal(words(many), 'array of [Category](x.md), 1 to 500 items');
  assert.equal(words({ type: 'string', minLength: 1, maxLength: 9 }), 'string, 1 to 9 characters');
});

test('references are found at any depth', () => {
  const list = { type: 'array', items: category };
  assert.deepEqual(referenced({ properties: { list, one: { $ref: `${category.$ref}List` } } }), [
    'Category',
    'CategoryList',
  ]);
});
