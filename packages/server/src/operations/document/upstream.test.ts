import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { components as TheirComponents } from '@lunch-money/lunch-money-js-v2';
import fc from 'fast-check';
import type { Static } from 'typebox';
import { parse } from 'yaml';
import type { ManualAccount } from '../../ledger/accounts/schema.ts';
import type { AccountHistory } from '../../ledger/balance-history/schema.ts';
import type { CategoryDependents } from '../../ledger/categories/requests.ts';
import type { Category } from '../../ledger/categories/schema.ts';
import type { SyncedCryptoAccount, SyncedCryptoBalance } from '../../sync/crypto/schema.ts';
import { described } from '../../all.ts';
import type { Me } from '../../identity/me/routes.ts';
import type { PlaidAccount } from '../../ledger/accounts/plaid-schema.ts';
import type { Tag, TagDependents } from '../../ledger/tags/schema.ts';
import type { Transaction, TransactionAttachment } from '../../ledger/transactions/schema.ts';
import { currencyCodes } from '../currencies.ts';
import type { ErrorBody } from '../error-body.ts';
import { requestReader } from '../request/request-reader.ts';
import type { SchemaJson } from '../schema.ts';
import { openApiDocument } from './openapi.ts';

/** A schema of OpenAPI 3.0, as the other document writes it. */
interface Schema30 extends SchemaJson {
  readonly pattern?: string;
  readonly nullable?: boolean;
  readonly allOf?: readonly Schema30[];
  readonly oneOf?: readonly Schema30[];
  readonly properties?: Readonly<Record<string, Schema30>>;
}
type Parameter = Readonly<{ name: string; in: string; required?: boolean; schema: Schema30 }>;
interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly content: Record<string, { schema: Schema30; examples?: Examples; example?: unknown }>;
  };
  readonly responses: Record<string, { content?: Record<string, { schema: Schema30 }> }>;
}
type Examples = Readonly<Record<string, { readonly value: unknown }>>;
type Method = (typeof methods)[number];
interface Document {
  readonly paths: Record<string, Readonly<Partial<Record<Method, Operation>>>>;
  readonly components: { readonly schemas: Record<string, Schema30> };
}

const methods = ['get', 'post', 'put', 'delete'] as const;
const file = new URL(import.meta.resolve('@lunch-money/v2-api-spec/lunch-money-api-v2.yaml'));
/** The document of the API that Coffer is compatible with, with the parts in which its client is newer. */
const theirs = withMonths(withDisplayName(parse(readFileSync(file, 'utf8')) as Document));

/** Their client is newer than their document: a balance has one more key, which the type check covers. */
function withDisplayName(document: Document): Document {
  const { schemas } = document.components;
  const balance = schemas['cryptoSyncedBalance'] ?? {};
  const displayName: Schema30 = { type: 'string', nullable: true };
  const properties = { ...balance.properties, display_name: displayName };
  const required = [...(balance.required ?? []), 'display_name'];
  const changed = { ...schemas, cryptoSyncedBalance: { ...balance, properties, required } };
  return { ...document, components: { ...document.components, schemas: changed } };
}

/** In their client, the balance history has months in place of the first days of months. */
function withMonths(document: Document): Document {
  const ofHistory = Object.entries(document.paths).filter(([path]) => path.includes('history'));
  const text = JSON.stringify(Object.fromEntries(ofHistory))
    .replaceAll(/"name":"(start|end)_date"/g, '"name":"$1_month"')
    .replaceAll(/"date":"(20\d\d-\d\d)-01"/g, '"month":"$1"');
  const paths = { ...document.paths, ...(JSON.parse(text) as Document['paths']) };
  const { schemas } = document.components;
  const { properties = {}, ...rest } = schemas['balanceHistoryUpdateItemObject'] ?? {};
  const others = Object.entries(properties).filter(([name]) => name !== 'date');
  const item: Schema30 = {
    ...rest,
    properties: { ...Object.fromEntries(others), month: { type: 'string' } },
    required: ['month', 'balance'],
  };
  return { paths, components: { schemas: { ...schemas, balanceHistoryUpdateItemObject: item } } };
}

/** Their document has no default for `offset`; their description has 0. */
function withOffsetDefault(parameter: Parameter): Parameter {
  if (parameter.name !== 'offset') return parameter;
  return { ...parameter, schema: { ...parameter.schema, default: 0 } };
}

/** Our name of a schema, and theirs. */
const pairs = {
  Transaction: 'transactionObject',
  ChildTransaction: 'childTransactionObject',
  TransactionAttachment: 'transactionAttachmentObject',
  Category: 'categoryObject',
  ChildCategory: 'childCategoryObject',
  SyncedCryptoListResponse: 'cryptoSyncedListResponseObject',
  SyncedCryptoAccount: 'syncedCryptoAccount',
  SyncedCryptoBalance: 'cryptoSyncedBalance',
  Tag: 'tagObject',
  TagInsert: 'createTagRequestObject',
  TagUpdate: 'updateTagRequestObject',
  TagDependents: 'deleteTagResponseWithDependencies',
  CategoryInsert: 'createCategoryRequestObject',
  CategoryUpdate: 'updateCategoryRequestObject',
  CategoryDependents: 'deleteCategoryResponseWithDependencies',
  Me: 'userObject',
  ErrorBody: 'errorResponseObject',
  Currency: 'currencyEnum',
  ManualAccount: 'manualAccountObject',
  ManualAccountInsert: 'createManualAccountRequestObject',
  ManualAccountUpdate: 'updateManualAccountRequestObject',
  PlaidAccount: 'plaidAccountObject',
  ManualSource: 'balanceHistorySourceManual',
  PlaidSource: 'balanceHistorySourcePlaid',
  ManualCryptoSource: 'balanceHistorySourceCryptoManual',
  SyncedCryptoSource: 'balanceHistorySourceCryptoSynced',
  DeletedSource: 'balanceHistorySourceDeleted',
  AccountHistory: 'balanceHistoryAccountObject',
  BalanceHistoryEntryUpdate: 'balanceHistoryUpdateItemObject',
  DeletedAccountDetails: 'updateBalanceHistoryDetailsResponseObject',
  DeletedAccountUpdate: 'updateBalanceHistoryDetailsRequestObject',
  BalanceHistoryUpdate: 'upsertBalanceHistoryRequestObject',
  BalanceHistoryListResponse: 'balanceHistoryListResponseObject',
  TransactionInsert: 'insertTransactionObject',
  TransactionUpdate: 'updateTransactionObject',
  SplitPart: 'splitTransactionObject',
  InsertedTransactions: 'insertTransactionsResponseObject',
  SkippedTransaction: 'skippedExistingExternalIdObject',
  RecurringItem: 'recurringObject',
  Budget: 'budgetUpsertResponseObject',
  BudgetUpsert: 'upsertBudgetRequestObject',
  BudgetSettings: 'budgetSettingsResponseObject',
  BudgetSummary: 'summaryResponseObject',
  ManualCryptoAccountListResponse: 'cryptoManualListResponseObject',
  ManualCryptoAccount: 'cryptoManualObject',
  ManualCryptoInsert: 'createCryptoManualRequestObject',
  ManualCryptoUpdate: 'updateCryptoManualRequestObject',
  CryptocurrencyListResponse: 'cryptoCurrencyResponseObject',
  Cryptocurrency: 'cryptoCurrencyObject',
  CryptocurrencyInsert: 'createCryptocurrencyRequestObject',
} as const;

/** Objects with no more keys than these, about which their document says nothing. */
const closedHere: readonly string[] = ['Budget', 'RecurringItem'];

/** Keys that our schema has and theirs lacks: a client may send back a whole transaction. */
const moreKeys: Readonly<Record<string, readonly string[]>> = {
  TransactionUpdate: ['files'],
};

/** The same difference of several keys, by their schemas. */
const differing = (
  difference: string,
  keys: Partial<Record<keyof typeof pairs, string>>,
): readonly string[] =>
  Object.entries(keys).flatMap(([name, all]) =>
    all.split(' ').map((key) => `${name}.${key}: ${difference}`),
  );

/** All differences, as `place: ours, not theirs`, with their reasons. */
const knownDifferences: readonly string[] = [
  ...differing('required true, not false', {
    // Always sent by the live service, though its document leaves them optional.
    Transaction: 'original_name is_split_parent',
    ChildTransaction: 'original_name is_split_parent',
    // Their document requires no key of these; their samples and the live service have them all.
    TransactionAttachment: 'created_at id name notes size type uploaded_by',
    Budget: 'amount category_id currency notes start_date to_base',
    SkippedTransaction:
      'existing_transaction_id reason request_transaction request_transactions_index',
    // Our accounts always have the time of the last reading.
    SyncedCryptoAccount: 'last_import',
    // Always sent, so that clients see it.
    ManualAccount: 'custom_metadata',
  }),
  ...differing('nullable false, not true', {
    // Our accounts always have a creator; a balance exists because it was read.
    SyncedCryptoAccount: 'created_by_name',
    SyncedCryptoBalance: 'balance_as_of',
  }),
  ...differing('nullable true, not false', {
    // Null means false, as in an update.
    CategoryInsert: 'is_group',
    // Their client allows null.
    ManualCryptoInsert: 'display_name institution_name',
    SplitPart: 'category_id notes',
    TransactionInsert: 'payee',
    ManualAccountInsert: 'display_name institution_name subtype',
    ManualAccountUpdate: 'subtype',
  }),
  // Ignored properties of requests may have any value.
  ...differing('any value', {
    BalanceHistoryEntryUpdate: 'id to_base',
    CategoryUpdate: 'created_at id updated_at',
    ManualAccountUpdate: 'created_at created_by_name id to_base updated_at',
    ManualCryptoUpdate:
      'balance_as_of coingecko_id created_at created_by_name exchange_rate_as_of id symbol to_base updated_at',
    TagUpdate: 'created_at id updated_at',
    TransactionUpdate:
      'children created_at group_parent_id id is_group_parent is_pending is_split_parent original_name plaid_metadata source split_parent_id to_base updated_at',
  }),
  // In their document `source` may be null, but the list of its words lacks null.
  ...differing('enum has null', { Transaction: 'source', ChildTransaction: 'source' }),
  // Numbers of periods are whole.
  'BudgetSettings.budget_period_quantity: type integer, not number',
  // A status that the service sends may be sent back.
  'TransactionUpdate.status: words delete_pending,reviewed,unreviewed, not reviewed,unreviewed',
  // Their document has the lengths only in requests, and no words of this currency.
  'Budget.notes: length 0..350, not 0..',
  `Budget.currency: words ${currencyCodes.join()}, not `,
  'ManualCryptoAccount.display_name: length 1..45, not 0..',
  'Tag.description: length 0..200, not 0..',
  'Tag.name: length 1..100, not 0..',
];

const ours = JSON.parse(JSON.stringify(openApiDocument(described()))) as Document;

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
    const operation = described().operations.find(
      ({ declaration }) => declaration.id === our.operationId,
    );
    if (their.requestBody === undefined || operation === undefined) continue;
    // Its handler checks a form.
    if (operation.declaration.multipart === true) continue;
    const read = requestReader(operation);
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
