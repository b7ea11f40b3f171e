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

for (const { url, text } of buildFiles())
  test(`${url.pathname.split('/').slice(-2).join('/')} agrees with the declarations (else run npm run openapi)`, () => {
    assert.equal(readFileSync(url, 'utf8'), text);
  });

test('every reference has a target, and every component is referenced', () => {
  const used = new Set(references(document));
  for (const pointer of used) assert.ok(lookUp(pointer), pointer);
  for (const kind of ['schemas', 'responses', 'headers'] as const)
    for (const name of Object.keys(document.components[kind]))
      assert.ok(used.has(`#/components/${kind}/${name}`), `${kind} ${name}`);
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

test('every response has the six rate limit headers, and few have others', () => {
  const others: Record<string, number[]> = {
    'Retry-After': [409, 429, 502, 503],
    'WWW-Authenticate': [401],
    ETag: [200, 304],
  };
  for (const { method, path, responses } of operations)
    for (const [status, { headers }] of answers(responses)) {
      for (const header of rateLimitHeaders)
        assert.ok(headers[header], `${path} ${status} ${header}`);
      for (const [header, statuses] of Object.entries(others)) {
        const isThere = statuses.includes(status) && (header !== 'ETag' || method === 'get');
        assert.equal(header in headers, isThere, `${path} ${status} ${header}`);
      }
    }
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

for (const file of ['limits.ts', 'errors.ts', 'currencies.ts'])
  test(`${file} imports nothing`, () => {
    assert.doesNotMatch(
      readFileSync(new URL(`../${file}`, import.meta.url), 'utf8'),
      /^import|import\(/m,
    );
  });
