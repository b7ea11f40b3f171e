import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { components as TheirComponents } from '@lunch-money/lunch-money-js-v2';
import type { Static } from 'typebox';
import fc from 'fast-check';
import type { ManualAccount } from '../../resources/accounts/schema.ts';
import type { AccountHistory } from '../../resources/balance-history/schema.ts';
import type { Category } from '../../resources/categories/schema.ts';
import type { SyncedCryptoAccount, SyncedCryptoBalance } from '../../resources/crypto/schema.ts';
import type { ErrorBody } from '../error-body.ts';
import type { PlaidAccount } from '../../resources/plaid-accounts/schema.ts';
import type { Tag, TagDependents } from '../../resources/tags/schema.ts';
import type { CategoryDependents } from '../../resources/categories/requests.ts';
import type { Me } from '../../resources/me/schema.ts';
import type { Transaction, TransactionAttachment } from '../../resources/transactions/schema.ts';
import { components, described } from '../../resources/index.ts';
import { requestReader } from '../request/request-reader.ts';
import { openApiDocument } from './openapi.ts';
import { closedHere, knownDifferences, moreKeys, pairs } from './testing/upstream-pairs.ts';
import { methods, theirs, withOffsetDefault } from './testing/upstream-document.ts';
import type {
  Document,
  Method,
  Operation,
  Parameter,
  Schema30,
} from './testing/upstream-document.ts';

const ours = JSON.parse(JSON.stringify(openApiDocument(described))) as Document;

type Their = TheirComponents['schemas'];
/** Their client types metadata, an object of any shape, as an object without keys. */
type WithoutMetadata<T> = Omit<T, 'children' | 'plaid_metadata' | 'custom_metadata'>;
/** Does not compile unless each of our objects can be used where a program expects theirs. */
const usableAsTheirs = [
  (our: WithoutMetadata<Transaction>): WithoutMetadata<Their['transactionObject']> => our,
  (our: TransactionAttachment): Their['transactionAttachmentObject'] => our,
  (our: Category): Their['categoryObject'] => our,
  (our: SyncedCryptoAccount): Their['syncedCryptoAccount'] => our,
  (our: SyncedCryptoBalance): Their['cryptoSyncedBalance'] => our,
  (our: Tag): Their['tagObject'] => our,
  (our: Static<typeof TagDependents>): Their['deleteTagResponseWithDependencies'] => our,
  (our: Static<typeof CategoryDependents>): Their['deleteCategoryResponseWithDependencies'] => our,
  (our: Me): Their['userObject'] => our,
  (our: ErrorBody): Their['errorResponseObject'] => our,
  (our: WithoutMetadata<ManualAccount>): WithoutMetadata<Their['manualAccountObject']> => our,
  (our: PlaidAccount): Their['plaidAccountObject'] => our,
  (our: AccountHistory): Their['balanceHistoryAccountObject'] => our,
];

test('the objects of clients are covered by the type check', () => {
  assert.equal(usableAsTheirs.length, 13);
});

interface Facts {
  readonly required: boolean;
  readonly nullable: boolean;
  readonly type: string;
  readonly words: string;
  readonly length: string;
}

function facts(schema: Schema30, required: boolean): Facts {
  const either = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].flatMap(
    ({ type }) => type ?? [],
  );
  const types = schema.type === undefined ? [...new Set(either)] : [schema.type].flat();
  const words = (schema.enum ?? []).filter((word) => word !== null);
  return {
    required,
    nullable: schema.nullable === true || [...types, ...either].includes('null'),
    type: types.filter((type) => type !== 'null').join(),
    words: words.map(String).toSorted().join(),
    length: `${schema.minLength ?? 0}..${schema.maxLength ?? ''}`,
  };
}

/** They add a description to a reference by `allOf` with one member; we write it next to `$ref`. */
function followed(document: Document, schema: Schema30): Schema30 {
  const pointer = schema.$ref ?? schema.allOf?.[0]?.$ref;
  if (pointer === undefined) return schema;
  return document.components.schemas[pointer.split('/').at(-1) ?? ''] ?? {};
}

function properties(document: Document, name: string): Map<string, Facts> {
  const { properties = {}, required = [] } = document.components.schemas[name] ?? {};
  return new Map(
    Object.entries(properties).map(([key, property]) => [
      key,
      facts(followed(document, property), required.includes(key)),
    ]),
  );
}

function differences(place: string, our: Facts, their: Facts): string[] {
  const found = (Object.keys(our) as (keyof Facts)[]).filter((fact) => our[fact] !== their[fact]);
  if (found.length > 0 && our.type === '') return [`${place}: any value`];
  return found.map((fact) => `${place}: ${fact} ${our[fact]}, not ${their[fact]}`);
}

function nullAmongWords(name: string): string[] {
  return Object.entries(ours.components.schemas[name]?.properties ?? {})
    .filter(([, { enum: words }]) => words?.includes(null))
    .map(([key]) => `${name}.${key}: enum has null`);
}

function theirOperation(path: string, method: Method = 'get'): Operation {
  const found = theirs.paths[path.replace(/^\/v2/, '')]?.[method];
  assert.ok(found, path);
  return found;
}

const operations = Object.entries(ours.paths).flatMap(([path, item]) =>
  methods.flatMap((method) => {
    const our = item[method];
    return our === undefined ? [] : [{ path, method, our, their: theirOperation(path, method) }];
  }),
);

test('objects have the same keys, and are closed where theirs are', () => {
  for (const [name, theirName] of Object.entries(pairs)) {
    assert.ok(theirs.components.schemas[theirName], theirName);
    const [our, their] = [properties(ours, name), properties(theirs, theirName)];
    const expected = [...their.keys(), ...(moreKeys[name] ?? [])];
    assert.deepEqual([...our.keys()].sort(), expected.sort(), name);
    const closed = ours.components.schemas[name]?.additionalProperties === false;
    const theirsClosed = theirs.components.schemas[theirName].additionalProperties === false;
    assert.equal(closed, theirsClosed || closedHere.includes(name), name);
  }
});

test('keys agree in presence, null, type, words and length, except for known differences', () => {
  const found = Object.entries(pairs).flatMap(([name, theirName]) => {
    const their = properties(theirs, theirName);
    const keys = [...properties(ours, name)].flatMap(([key, our]) =>
      differences(`${name}.${key}`, our, their.get(key) ?? facts({}, false)),
    );
    return [...keys, ...nullAmongWords(name)];
  });
  assert.deepEqual(found.sort(), knownDifferences.toSorted());
});

test('the currencies are the same, and an error detail requires only errMsg and accepts any key', () => {
  const { Currency, ErrorDetail } = ours.components.schemas;
  const { currencyEnum, errorResponseObject } = theirs.components.schemas;
  assert.deepEqual(Currency?.enum, currencyEnum?.enum);
  const their = errorResponseObject?.properties?.['errors']?.items;
  assert.deepEqual(ErrorDetail?.required, their?.required);
  assert.equal(ErrorDetail?.additionalProperties, their?.additionalProperties);
});

test('query and path parameters have the same names, types, words and defaults', () => {
  for (const { path, our, their } of operations) {
    const sent = (our.parameters ?? []).filter((parameter) => parameter.in !== 'header');
    const summary = ({ name, in: place, schema, required = false }: Parameter) => ({
      name,
      place,
      required,
      type: schema.type,
      either: (schema.oneOf ?? schema.anyOf)?.map(({ format }) => format),
      words: schema.enum,
      default: schema.default,
      length: `${schema.minLength ?? 0}..${schema.maxLength ?? ''}`,
    });
    assert.deepEqual(
      byName(sent.map(summary)),
      byName((their.parameters ?? []).map(withOffsetDefault).map(summary)),
      path,
    );
  }
});

function byName<T extends { readonly name: string }>(list: readonly T[]): T[] {
  return list.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

test('lists have the same keys, without `error`, which a success never has', () => {
  const body = (operation: Operation) => operation.responses['200']?.content?.['application/json'];
  for (const path of ['/v2/transactions', '/v2/categories', '/v2/tags', '/v2/crypto/synced']) {
    const our = followed(ours, body(ours.paths[path]!.get!)?.schema ?? {});
    const their = followed(theirs, body(theirOperation(path))?.schema ?? {});
    const keys = Object.keys(their.properties ?? {}).filter((key) => key !== 'error');
    assert.deepEqual(Object.keys(our.properties ?? {}), keys);
    assert.deepEqual(our.required, keys);
  }
});

/** Returns any value of one of their schemas. Ids are positive, colors hexadecimal, and no name is blank. */
function valueOf(schema: Schema30, name = ''): fc.Arbitrary<unknown> {
  const { nullable = false, ...rest } = followed(theirs, schema);
  if (nullable) return fc.option(valueOf(rest, name));
  const { type } = rest;
  if (rest.allOf)
    return fc
      .tuple(...rest.allOf.toReversed().map((part) => valueOf(part)))
      .map((parts) => Object.assign({}, ...parts) as unknown);
  if (rest.oneOf)
    return fc.oneof(...rest.oneOf.map((one) => valueOf(type ? { type, ...one } : one)));
  switch (rest.type) {
    case undefined:
      return fc.anything();
    case 'object': {
      const keys = Object.entries(rest.properties ?? {});
      return fc.record(Object.fromEntries(keys.map(([key, value]) => [key, valueOf(value, key)])), {
        requiredKeys: [...(rest.required ?? [])],
      });
    }
    case 'array':
      return fc.array(valueOf(rest.items ?? {}), { minLength: rest.minItems ?? 0 });
    case 'number':
      return fc.integer();
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return name === 'order' ? fc.integer() : fc.integer({ min: 1 });
    default: {
      if (rest.enum) return fc.constantFrom(...rest.enum.filter((word) => word !== null));
      if (rest.pattern !== undefined) return fc.constantFrom('-7.4', '0', '12.3456');
      if (rest.format === 'date') return fc.constantFrom('0001-01-01', '2024-02-29');
      if (rest.format === 'date-time')
        return fc.date({ noInvalidDate: true, min, max }).map((date) => date.toISOString());
      if (name.endsWith('_color')) return fc.constantFrom('333', 'FFE7D4', '#cff4f3');
      const { maxLength = 100 } = rest;
      return fc
        .string({ unit: 'grapheme-ascii', maxLength: maxLength - 1 })
        .map((text) => `a${text}`);
    }
  }
}
const [min, max] = [new Date('0001-01-01'), new Date('9999-12-31')];

test('bodies are accepted where theirs are, with all their examples and values', async () => {
  for (const { our, their } of operations) {
    assert.equal(our.requestBody === undefined, their.requestBody === undefined, our.operationId);
    const operation = described.operations.find(
      ({ declaration }) => declaration.id === our.operationId,
    );
    if (their.requestBody === undefined || operation === undefined) continue;
    // Its handler checks a form.
    if (operation.declaration.multipart === true) continue;
    const read = requestReader(operation, components);
    const inPath = (our.parameters ?? []).filter((each) => each.in === 'path');
    const path = Object.fromEntries(
      inPath.map(({ name, schema }) => [name, String(schema.enum?.[0] ?? 1)]),
    );
    const { examples, example, schema = {} } = their.requestBody.content['application/json'] ?? {};
    assert.ok(examples !== undefined || example !== undefined, our.operationId);
    for (const [name, { value }] of Object.entries(examples ?? { one: { value: example } }))
      await assert.doesNotReject(read({ query: '', path, body: value }), name);
    await fc.assert(
      fc.asyncProperty(valueOf(followed(theirs, schema)), async (body) => {
        await assert.doesNotReject(read({ query: '', path, body }));
      }),
    );
  }
});
