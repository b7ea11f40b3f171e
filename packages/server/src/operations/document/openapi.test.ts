import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { buildFiles } from '../../../../../scripts/documents.ts';
import { described } from '../../all.ts';
import { openApiDocument } from './openapi.ts';

type Parameter = Readonly<{ name: string; in: string; required: boolean; description: string }>;
interface Operation {
  readonly operationId: string;
  readonly parameters: Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Record<string, object> };
}
type Document = Readonly<{ paths: Record<string, Record<string, Operation>> }>;

const document = JSON.parse(JSON.stringify(openApiDocument(described()))) as Document;
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ method, path, ...operation })),
);

/** The values of all properties with a name, anywhere in a part of the document. */
function valuesOf(name: string, part: unknown): unknown[] {
  if (typeof part !== 'object' || part === null) return [];
  const own = Object.hasOwn(part, name) ? [(part as Record<string, unknown>)[name]] : [];
  return [...own, ...Object.values(part).flatMap((each) => valuesOf(name, each))];
}

for (const { url, text } of buildFiles())
  test(`${url.pathname.split('/').slice(-2).join('/')} agrees with the declarations (else run npm run openapi)`, () => {
    assert.equal(readFileSync(url, 'utf8'), text);
  });

const withoutBody = ['refreshCryptoSynced', 'triggerPlaidAccountFetch'];

test('GET has If-None-Match, POST an Idempotency-Key, creation and update a body', () => {
  for (const { method, path, operationId, parameters, requestBody } of operations) {
    const headers = parameters.filter((one) => one.in === 'header').map(({ name }) => name);
    const ofMethod: Record<string, string> = { get: 'If-None-Match', post: 'Idempotency-Key' };
    assert.deepEqual(headers, [ofMethod[method] ?? []].flat(), path);
    const hasBody = ['post', 'put'].includes(method) && !withoutBody.includes(operationId);
    const isNeeded = hasBody || operationId === 'deleteTransactions';
    assert.equal(requestBody?.required, isNeeded ? true : undefined, operationId);
    if (requestBody === undefined) continue;
    const type =
      operationId === 'attachFileToTransaction' ? 'multipart/form-data' : 'application/json';
    assert.deepEqual(Object.keys(requestBody.content), [type], operationId);
  }
});

test('every JSON body of a request and of a response has examples', () => {
  for (const content of valuesOf('application/json', document) as { examples?: object }[])
    assert.ok(Object.keys(content.examples ?? {}).length > 0, JSON.stringify(content));
});

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
