import fc, { type Arbitrary } from 'fast-check';
import { makeDemoBook } from '../../packages/server/src/demo/make-demo-book.ts';
import { resolved, type Operation, type Parameter, type Schema } from './api-document.ts';
import { textsNamed } from './fuzz-values.ts';

/** The size of the demo book that receives the requests. */
export const fuzzedTransactions = 100;

/** A request that is valid by the document. */
export interface PlainRequest {
  readonly method: string;
  readonly target: string;
  /** The JSON body; undefined if the operation accepts none. */
  readonly body: string | undefined;
}

const day = fc.integer({ min: 1, max: 28 }).map((n) => `2025-03-${String(n).padStart(2, '0')}`);
const { transactions, rules = [] } = makeDemoBook({ transactions: fuzzedTransactions });
const unsplit = 'DELETE /v2/transactions/split/{id}';
/** The first split transaction of the demo book: an unknown id gets a 400 there. */
const splitId = transactions.findIndex(({ isSplitParent }) => isSplitParent) + 1;
/** The rules of the demo book, and the first that a request creates. */
const ruleIds = [...rules.keys(), rules.length].map((n) => n + 1);
/** Values that no schema describes: a month, the start of a feed, a rule, and all rules. */
const named: Readonly<Record<string, Arbitrary<unknown>>> = {
  ...textsNamed,
  start_date: fc.constant('2025-03-01'),
  end_date: fc.constant('2025-03-31'),
  after: fc.constant('latest'),
  conditions: fc.constant({ payee: { operator: 'is', value: 'plain' } }),
  actions: fc.constant({ notes: 'plain' }),
  rule_ids: fc.constant(ruleIds),
};
const word = fc.integer({ min: 1, max: 10_000 }).map((n) => `plain ${n}`);

/** Generates requests with valid values only, so that most of them reach the handler. */
export function plainRequest(operation: Operation): Arbitrary<PlainRequest> {
  const { method, parameters, body } = operation;
  const target = fc.tuple(plainPath(operation), plainQuery(parameters));
  // One date alone is refused there.
  const isFetch = operation.path === '/v1/plaid_accounts/fetch';
  const value = isFetch ? fc.constant({}) : body && plainValue(body);
  const json = value?.map(textOf) ?? fc.constant(undefined);
  return fc
    .tuple(target, json)
    .map(([parts, value]) => ({ method, target: parts.join(''), body: value }));
}

function textOf(value: unknown): string {
  return JSON.stringify(value);
}

function plainPath({ method, path, parameters }: Operation): Arbitrary<string> {
  if (`${method} ${path}` === unsplit) return fc.constant(path.replace('{id}', String(splitId)));
  const parts = path.split('/').map((part) => {
    const parameter = parameters.find(({ in: place, name }) =>
      place === 'path' ? part === `{${name}}` : false,
    );
    return parameter === undefined ? fc.constant(part) : inPath(parameter);
  });
  return fc.tuple(...parts).map((texts) => texts.join('/'));
}

function inPath({ name, schema }: Parameter): Arbitrary<string> {
  if (name === 'symbol') return fc.constantFrom('btc', 'eth');
  const missing = resolved(schema).type === 'integer' ? [fc.constant(87_654_321)] : [];
  return fc.oneof(plainValue(schema), plainValue(schema), ...missing).map(String);
}

/** Required parameters only. */
function plainQuery(parameters: readonly Parameter[]): Arbitrary<string> {
  const needed = parameters.filter(({ in: place, required }) => place === 'query' && required);
  const pairs = needed.map(({ name, schema }) =>
    (named[name] ?? plainValue(schema)).map((value) => `${name}=${String(value)}`),
  );
  return fc.tuple(...pairs).map((all) => (all.length === 0 ? '' : `?${all.join('&')}`));
}

/** Generates values of a schema. Every id is small, so that many of them exist. */
function plainValue(schema: Schema): Arbitrary<unknown> {
  const { anyOf, enum: words, type, items = {}, minItems = 1, ...more } = resolved(schema);
  const { pattern = '' } = more;
  if (anyOf !== undefined) return fc.oneof(...anyOf.map(plainValue));
  if (words !== undefined) return fc.constantFrom(...words);
  const first = [type].flat()[0];
  if (first === 'object') return plainObject(resolved(schema));
  if (first === 'array') return fc.array(plainValue(items), { minLength: minItems, maxLength: 2 });
  if (first === 'integer') return fc.integer({ min: Math.max(more.minimum ?? 1, 1), max: 12 });
  if (first === 'boolean') return fc.boolean();
  if (more.format === 'uri') return fc.constant('http://127.0.0.1:9/');
  if (more.format === 'date') return day;
  if (more.format === 'date-time') return day.map((date) => `${date}T00:00:00Z`);
  if (pattern.startsWith('^-?\\d')) return fc.integer({ min: 1, max: 99 }).map(String);
  return word;
}

/** Required properties, and one more. */
function plainObject({ properties = {}, required = [] }: Schema): Arbitrary<unknown> {
  const others = Object.keys(properties).filter(
    (name) => !required.includes(name) && isSettable(properties[name]!),
  );
  const size = Math.min(1, others.length);
  const one = fc.subarray(others, { minLength: size, maxLength: size });
  return one.chain((names) =>
    fc.record(
      Object.fromEntries(
        [...required, ...names].map((name) => [
          name,
          named[name] ?? plainValue(properties[name] ?? {}),
        ]),
      ),
    ),
  );
}

function isSettable(schema: Schema): boolean {
  const { type, anyOf } = resolved(schema);
  return type !== undefined || anyOf !== undefined;
}
