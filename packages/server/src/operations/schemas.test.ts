import assert from 'node:assert/strict';
import { test } from 'node:test';
import Schema from 'typebox/schema';
import { described, describedCoffer, describedV1 } from '../all.ts';
import { Transaction } from '../ledger/transactions/schema.ts';
import { SyncedCryptoBalance } from '../sync/crypto/schema.ts';
import { asJson, componentName, componentOf, exampleOf, type SchemaJson } from './schema.ts';
import { componentsOf } from './document/openapi.ts';
import { examplesOf, type Examples } from './examples.ts';
import { responsesOf, type Described } from './declaration.ts';
import { resolveResponse } from './responses.ts';

type Name = string;
const components = componentsOf(
  [described(), describedCoffer(), describedV1()].flatMap(({ operations }) => operations),
);
type Value = Record<string, unknown>;

/** The names of a body, and its examples; a response of v1 may have either of two. */
const bodiesOf = ({ declaration: { body, bodyExamples } }: Described): [Name[], Examples][] =>
  body === undefined ? [] : [[[componentName(body)], examplesOf(body, bodyExamples)]];
const answersOf = (operation: Described): [Name[], Examples][] =>
  Object.values(responsesOf(operation))
    .map(resolveResponse)
    .map(({ component, otherComponent, examples }) => [
      [component, otherComponent].filter((each) => each !== undefined).map(componentName),
      component === undefined ? {} : examplesOf(component, examples),
    ]);
const all = [...described().operations, ...describedCoffer().operations];
const samples = [...all.flatMap(answersOf), ...all.flatMap(bodiesOf)].flatMap(
  ([[name], examples]) =>
    Object.values(examples).map(({ value }) => ({ name: name!, value: value as Value })),
);
const requestsV1 = describedV1().operations.flatMap(bodiesOf);
const responsesV1 = describedV1().operations.flatMap(answersOf);

const receipt = exampleOf(Transaction) as unknown as Value;
const bitcoin = exampleOf(SyncedCryptoBalance);

const validators = new Map<Name, { Check(value: unknown): boolean }>();

function accepts(name: Name, value: unknown): boolean {
  const known = validators.get(name) ?? compile(name);
  validators.set(name, known);
  return known.Check(value);
}

function compile(name: Name) {
  const document = { components: { schemas: components }, $ref: `#/components/schemas/${name}` };
  return Schema.Compile(JSON.parse(JSON.stringify(document)));
}

function shape(name: Name): SchemaJson {
  return asJson(componentOf(name));
}

test('every example agrees with its schema', () => {
  for (const { name, value } of samples)
    assert.ok(accepts(name, value), `${name}: ${JSON.stringify(value)}`);
  for (const [names, examples] of [...requestsV1, ...responsesV1])
    for (const { value } of Object.values(examples))
      assert.ok(
        names.some((name) => accepts(name, value)),
        `${names.join()}: ${JSON.stringify(value)}`,
      );
});

test('objects of requests of v1 ignore other keys, those of responses have none', () => {
  const isClosed = (name: Name) => shape(name).additionalProperties === false;
  for (const [names] of requestsV1) assert.deepEqual(names.map(isClosed), [false], names.join());
  const own = responsesV1.flatMap(([names]) => names).filter((name) => name !== 'ErrorBody');
  for (const name of own) assert.ok(isClosed(name) || shape(name).type !== 'object', name);
});

test('objects of the documents have no other keys, but for those of errors', () => {
  const own = Object.keys(components).filter((name) => !name.endsWith('V1'));
  const open = own.filter((name) => {
    const { type, additionalProperties } = shape(name);
    return type === 'object' && additionalProperties !== false;
  });
  assert.deepEqual(open.toSorted(), ['ErrorBody', 'ErrorDetail']);
});

test('texts, numbers, dates, instants and metadata have exactly their forms', () => {
  const formsIn = (name: Name, base: object) => (key: string, good: unknown[], bad: unknown[]) => {
    for (const value of [...good, ...bad]) {
      const isGood = good.includes(value);
      assert.equal(accepts(name, { ...base, [key]: value }), isGood, `${key} ${String(value)}`);
    }
  };
  const inReceipt = formsIn('Transaction', receipt);
  const noAmounts = '1 1.00 1.00000 .5000 01.0000 +1.0000 1e4'.split(' ');
  inReceipt('amount', ['0.0000', '-13.5700', '9999999999.4567'], [...noAmounts, 1, '', '1.0000\n']);
  const noDates = ['2026-02-30', '2026-2-3', '20260203', '2026-02-03T00:00:00Z', '2026-02-03\n'];
  inReceipt('date', ['2024-02-29'], noDates);
  const noInstants = ['2026-02-03', '2026-02-03T10:00:00Z', '2026-02-03T10:00:00.000+01:00'];
  inReceipt('created_at', ['2026-02-03T10:00:00.000Z'], noInstants);
  inReceipt('currency', ['usd'], ['USD', 'xxx', null]);
  inReceipt('id', [1], [0, -1, 1.5, 2 ** 53, '1']);
  for (const key of ['plaid_metadata', 'custom_metadata'])
    inReceipt(key, [{}, { a: [{ b: null }] }, null], [[], [{}], 'x', '', 1, 0, true, false]);
  const inBalance = formsIn('SyncedCryptoBalance', bitcoin);
  const decimals = '0'.repeat(18);
  const ends = [decimals.slice(1), `${decimals}0`, `${decimals.slice(1)}a`].map(
    (each) => `1.${each}`,
  );
  const noQuantities = [1, '1', '1.0', '1e-18', `.${decimals}`, `01.${decimals}`, `-1.${decimals}`];
  const quantities = [`0.${decimals}`, '123456789012345678.000000000000000001'];
  inBalance('balance', quantities, [...noQuantities, ...ends]);
  for (const [key, most] of Object.entries({ symbol: 25, name: 45, coingecko_id: 100 })) {
    const [none, one, longest, long] = [0, 1, most, most + 1].map((length) => 'x'.repeat(length));
    inBalance(key, [one, longest], [none, long]);
  }
  assert.equal(accepts('ErrorBody', { message: 'Not Found', errors: [] }), false);
});
