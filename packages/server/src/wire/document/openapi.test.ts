import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { buildFiles } from '../../../../../scripts/documents.ts';
import { described } from '../../resources/index.ts';
import { rateLimitHeaders } from '../headers.ts';
import { openApiDocument } from './openapi.ts';
import type { SchemaJson } from '../schema-json.ts';

interface Answer {
  readonly $ref?: string;
  readonly headers: Record<string, { readonly $ref?: string; readonly required?: boolean }>;
  readonly content?: { 'application/json': { schema: SchemaJson; examples: object } };
}
interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description: string;
  readonly schema: SchemaJson;
}
interface Operation {
  readonly operationId: string;
  readonly parameters: Parameter[];
  readonly requestBody?: {
    readonly required: boolean;
    readonly content: Record<string, { schema: SchemaJson; examples: object }>;
  };
  readonly responses: Record<string, Answer>;
}
interface Document {
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: Record<'schemas' | 'responses' | 'headers', Record<string, Answer>>;
}

/** Every operation, in the order of the document. */
const operationNames = [
  'getAllTransactions get /v2/transactions',
  'createNewTransactions post /v2/transactions',
  'updateTransactions put /v2/transactions',
  'deleteTransactions delete /v2/transactions',
  'getTransactionById get /v2/transactions/{id}',
  'updateTransaction put /v2/transactions/{id}',
  'deleteTransactionById delete /v2/transactions/{id}',
  'groupTransactions post /v2/transactions/group',
  'ungroupTransactions delete /v2/transactions/group/{id}',
  'splitTransaction post /v2/transactions/split/{id}',
  'unsplitTransaction delete /v2/transactions/split/{id}',
  'attachFileToTransaction post /v2/transactions/{transaction_id}/attachments',
  'getTransactionAttachmentUrl get /v2/transactions/attachments/{file_id}',
  'deleteTransactionAttachment delete /v2/transactions/attachments/{file_id}',
  'getAllCategories get /v2/categories',
  'createCategory post /v2/categories',
  'getCategoryById get /v2/categories/{id}',
  'updateCategory put /v2/categories/{id}',
  'deleteCategory delete /v2/categories/{id}',
  'getAllTags get /v2/tags',
  'createTag post /v2/tags',
  'getTagById get /v2/tags/{id}',
  'updateTag put /v2/tags/{id}',
  'deleteTag delete /v2/tags/{id}',
  'getAllManualAccounts get /v2/manual_accounts',
  'createManualAccount post /v2/manual_accounts',
  'getManualAccountById get /v2/manual_accounts/{id}',
  'updateManualAccount put /v2/manual_accounts/{id}',
  'deleteManualAccount delete /v2/manual_accounts/{id}',
  'getAllPlaidAccounts get /v2/plaid_accounts',
  'getPlaidAccountById get /v2/plaid_accounts/{id}',
  'triggerPlaidAccountFetch post /v2/plaid_accounts/fetch',
  'getAllRecurring get /v2/recurring_items',
  'getRecurringById get /v2/recurring_items/{id}',
  'getBudgetSettings get /v2/budgets/settings',
  'upsertBudget put /v2/budgets',
  'deleteBudget delete /v2/budgets',
  'getBudgetSummary get /v2/summary',
  'getAllCryptocurrencies get /v2/cryptocurrencies',
  'createCryptocurrency post /v2/cryptocurrencies',
  'getAllCryptoManual get /v2/crypto/manual',
  'createCryptoManual post /v2/crypto/manual',
  'getCryptoManualById get /v2/crypto/manual/{id}',
  'updateCryptoManual put /v2/crypto/manual/{id}',
  'deleteCryptoManual delete /v2/crypto/manual/{id}',
  'getAllCryptoSynced get /v2/crypto/synced',
  'getCryptoSyncedById get /v2/crypto/synced/{id}',
  'getCryptoSyncedBalanceBySymbol get /v2/crypto/synced/{id}/{symbol}',
  'refreshCryptoSynced post /v2/crypto/synced/{id}/refresh',
  'getBalanceHistory get /v2/balance_history',
  'getBalanceHistoryForAccount get /v2/balance_history/{account_type}/{account_id}',
  'upsertBalanceHistoryForAccount put /v2/balance_history/{account_type}/{account_id}',
  'deleteBalanceHistoryForAccount delete /v2/balance_history/{account_type}/{account_id}',
  'getBalanceHistoryForCryptoSynced get /v2/balance_history/crypto_synced/{account_id}/{symbol}',
  'upsertBalanceHistoryForCryptoSynced put /v2/balance_history/crypto_synced/{account_id}/{symbol}',
  'deleteBalanceHistoryForCryptoSynced delete /v2/balance_history/crypto_synced/{account_id}/{symbol}',
  'updateBalanceHistoryDetails put /v2/balance_history/deleted/{account_id}/details',
  'deleteBalanceHistoryEntry delete /v2/balance_history/entries/{id}',
  'getMe get /v2/me',
];

const document = JSON.parse(JSON.stringify(openApiDocument(described))) as Document;
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ method, path, ...operation })),
);

function answers(responses: Record<string, Answer>): [status: number, Answer][] {
  return Object.entries(responses).map(([status, answer]) => [Number(status), resolved(answer)]);
}

function resolved(answer: Answer): Answer {
  const name = answer.$ref?.split('/').at(-1);
  return name === undefined ? answer : document.components.responses[name]!;
}

function references(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const { $ref } = value as { $ref?: unknown };
  return [...(typeof $ref === 'string' ? [$ref] : []), ...Object.values(value).flatMap(references)];
}

function lookUp(pointer: string): unknown {
  return pointer
    .split('/')
    .slice(1)
    .reduce<unknown>(
      (value, key) => (value as Record<string, unknown> | undefined)?.[key],
      document,
    );
}

function parameter(path: string, name: string): Parameter {
  const found = document.paths[path]?.['get']?.parameters.find((one) => one.name === name);
  assert.ok(found, `${path} ${name}`);
  return found;
}

for (const { url, text } of buildFiles())
  test(`${url.pathname.split('/').slice(-2).join('/')} agrees with the declarations (else run npm run openapi)`, () => {
    assert.equal(readFileSync(url, 'utf8'), text);
  });

test('building twice returns the same text', () => {
  assert.deepEqual(buildFiles(), buildFiles());
});

test('every reference has a target, and every component is referenced', () => {
  const used = new Set(references(document));
  for (const pointer of used) assert.ok(lookUp(pointer), pointer);
  for (const kind of ['schemas', 'responses', 'headers'] as const)
    for (const name of Object.keys(document.components[kind]))
      assert.ok(used.has(`#/components/${kind}/${name}`), `${kind} ${name}`);
});

test('the document has all operations with their ids', () => {
  assert.deepEqual(
    operations.map(({ method, path, operationId }) => `${operationId} ${method} ${path}`),
    operationNames,
  );
});

/** What some operations have in addition, or in place of what their method has. */
const special: Readonly<Record<string, { success?: number; more?: readonly number[] }>> = {
  deleteTransactions: { more: [404] },
  deleteCategory: { more: [422] },
  deleteTag: { more: [422] },
  deleteCryptoManual: { more: [422] },
  // A request that calls another server claims its Idempotency-Key.
  attachFileToTransaction: { more: [409] },
  createCryptoManual: { more: [409] },
  createCryptocurrency: { more: [409, 502, 504] },
  refreshCryptoSynced: { success: 200, more: [409, 502, 504] },
  triggerPlaidAccountFetch: { success: 202, more: [409, 425] },
};
const successOf: Readonly<Record<string, number>> = { get: 200, post: 201, put: 200, delete: 204 };

test('creation is 201, deletion 204, all else 200, and all operations share refusals', () => {
  for (const { method, path, operationId, responses } of operations) {
    const { success = successOf[method]!, more = [] } = special[operationId] ?? {};
    const ofMethod: Record<string, number[]> = { get: [304], post: [422] };
    // Its missing record is a problem of the request.
    const byId = path.includes('{') && operationId !== 'unsplitTransaction' ? [404] : [];
    const refused = [400, 401, 429, 500, 503, ...(ofMethod[method] ?? []), ...byId, ...more];
    assert.deepEqual(
      Object.keys(responses).map(Number),
      [success, ...refused].toSorted((a, b) => a - b),
      operationId,
    );
  }
});

const withoutBody = ['refreshCryptoSynced', 'triggerPlaidAccountFetch'];

test('GET has If-None-Match, POST an Idempotency-Key, creation and update a body with examples', () => {
  for (const { method, path, operationId, parameters, requestBody } of operations) {
    const headers = parameters.filter((one) => one.in === 'header').map(({ name }) => name);
    const ofMethod: Record<string, string> = { get: 'If-None-Match', post: 'Idempotency-Key' };
    assert.deepEqual(headers, [ofMethod[method] ?? []].flat(), path);
    const hasBody = ['post', 'put'].includes(method) && !withoutBody.includes(operationId);
    const isNeeded = hasBody || operationId === 'deleteTransactions';
    assert.equal(requestBody?.required, isNeeded ? true : undefined, operationId);
    if (requestBody === undefined) continue;
    const isForm = operationId === 'attachFileToTransaction';
    const content = requestBody.content[isForm ? 'multipart/form-data' : 'application/json'];
    assert.ok(content !== undefined, operationId);
    if (!isForm) assert.ok(Object.keys(content.examples).length > 0, operationId);
  }
});

test('headers are required, except Retry-After of a failed provider and the mark of a replay', () => {
  for (const [name, header] of Object.entries(document.components.headers))
    assert.equal((header as { required?: boolean }).required, true, name);
  const inline = operations.flatMap(({ path, responses }) =>
    answers(responses).flatMap(([status, { headers }]) =>
      Object.entries(headers)
        .filter(([, { $ref }]) => $ref === undefined)
        .map(([name, { required }]) => `${path} ${status} ${name} ${required}`),
    ),
  );
  const replays = operations
    .filter(({ method }) => method === 'post')
    .map(
      ({ path, responses }) => `${path} ${Object.keys(responses)[0]} Idempotency-Replayed false`,
    );
  const failed = ['/v2/crypto/synced/{id}/refresh', '/v2/cryptocurrencies'].map(
    (path) => `${path} 502 Retry-After false`,
  );
  assert.deepEqual(inline.toSorted(), [...replays, ...failed].toSorted());
});

test('every response has the six rate limit headers', () => {
  for (const { path, responses } of operations)
    for (const [status, answer] of answers(responses))
      for (const header of rateLimitHeaders)
        assert.ok(answer.headers[header], `${path} ${status} ${header}`);
});

test('only 409, 429, 502, 503 have Retry-After, 401 WWW-Authenticate, 200 and 304 of GET an ETag', () => {
  const special: Record<string, number[]> = {
    'Retry-After': [409, 429, 502, 503],
    'WWW-Authenticate': [401],
    ETag: [200, 304],
  };
  for (const { method, path, responses } of operations)
    for (const [status, answer] of answers(responses))
      for (const [header, statuses] of Object.entries(special))
        assert.equal(
          header in answer.headers,
          statuses.includes(status) && (header !== 'ETag' || method === 'get'),
          `${path} ${status} ${header}`,
        );
});

/** Their 422 lists what refers to the record. */
const listing = ['deleteCategory', 'deleteTag'];

test('all but 202, 204 and 304 have a JSON body with examples; errors except two have one shape', () => {
  for (const { operationId, path, responses } of operations)
    for (const [status, { content }] of answers(responses)) {
      assert.equal(content === undefined, [202, 204, 304].includes(status), `${path} ${status}`);
      if (content === undefined) continue;
      const { schema, examples } = content['application/json'];
      assert.ok(Object.keys(examples).length > 0, `${path} ${status}`);
      assert.equal(
        schema.$ref === '#/components/schemas/ErrorBody',
        status >= 400 && (status !== 422 || !listing.includes(operationId)),
        `${path} ${status}`,
      );
    }
});

/** Parameters of a query that must be sent. */
const requiredNames: Readonly<Record<string, readonly string[]>> = {
  deleteBudget: ['category_id', 'start_date'],
  getBudgetSummary: ['start_date', 'end_date'],
};

test('every parameter has a description; parts of the path are required, and few of a query', () => {
  for (const { operationId, parameters } of operations)
    for (const { name, in: place, required, description } of parameters) {
      assert.ok(description.length > 10, `${operationId} ${name}`);
      const isNeeded = place === 'path' || requiredNames[operationId]?.includes(name) === true;
      assert.equal(required, isNeeded, `${operationId} ${name}`);
    }
});

test('limit is an integer from 1 to 2000, 1000 when omitted', () => {
  const { schema } = parameter('/v2/transactions', 'limit');
  assert.deepEqual(schema, { type: 'integer', minimum: 1, maximum: 2000, default: 1000 });
});

test('offset is an integer from 0 to 2^53 - 1, 0 when omitted', () => {
  const { schema } = parameter('/v2/transactions', 'offset');
  const maximum = 9007199254740991;
  assert.deepEqual(schema, { type: 'integer', minimum: 0, maximum, default: 0 });
});

test('every include flag is false when omitted', () => {
  for (const { parameters } of operations)
    for (const { name, schema } of parameters)
      // The document of the vendor has no default of this one.
      if (name.startsWith('include_') && name !== 'include_suggested')
        assert.deepEqual(schema, { type: 'boolean', default: false });
});

test('start_date and end_date may each be sent alone', () => {
  for (const name of ['start_date', 'end_date']) {
    const { schema, required } = parameter('/v2/transactions', name);
    assert.deepEqual(
      { schema, required },
      { schema: { type: 'string', format: 'date' }, required: false },
    );
  }
});

test('0 is a filter value for accounts and categories only', () => {
  const filters = document.paths['/v2/transactions']?.['get']?.parameters ?? [];
  const withNone = filters.filter(
    ({ name, schema }) => name.endsWith('_id') && schema.minimum === 0,
  );
  assert.deepEqual(
    withNone.map(({ name }) => name),
    ['manual_account_id', 'plaid_account_id', 'category_id'],
  );
});

for (const file of ['limits.ts', 'errors.ts', 'currencies.ts'])
  test(`${file} imports nothing`, () => {
    assert.doesNotMatch(
      readFileSync(new URL(`../${file}`, import.meta.url), 'utf8'),
      /^import|import\(/m,
    );
  });
