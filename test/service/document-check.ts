import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { header, type Answer } from './http-exchange.ts';
import {
  validatorOf,
  type Validator,
} from '../../packages/server/src/http/testing/schema-validator.ts';
import { vendorProblems } from '../../packages/server/src/http/testing/vendor-document.ts';

interface Schema {
  readonly type?: string;
}
interface DocumentedAnswer {
  readonly headers?: Readonly<Record<string, { readonly required?: boolean }>>;
  readonly content?: Readonly<Record<string, Content>>;
}
interface Content {
  readonly schema: Schema;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}
export interface DocumentedOperation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, unknown>>;
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly components: {
    readonly responses: Readonly<Record<string, DocumentedAnswer>>;
    readonly headers: Readonly<Record<string, { readonly schema: Schema }>>;
  };
}

/** The OpenAPI document that the service publishes. */
export const document = JSON.parse(
  readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8'),
) as Document;

const errorBody = validatorOf({ $ref: '#/components/schemas/ErrorBody' }, document.components);
const documentedHeaders = Object.keys(document.components.headers);
/** Statuses about the HTTP message; any operation can return them. */
const messageStatuses = new Set([408, 413, 414, 415]);

export const sixHeaders = ['', 'X-'].flatMap((prefix) =>
  ['Limit', 'Remaining', 'Reset'].map((name) => `${prefix}RateLimit-${name}`),
);

/**
 * Asserts that a response matches the document.
 *
 * For every path: the six headers under /v1/ and /v2/ and nowhere else, and the standard error format unless the
 * operation documents another body. For an operation: also status, headers and body, in our document and in the one of
 * the API that Coffer is compatible with.
 */
export function checkAnswer(method: string, target: string, answer: Answer): void {
  const path = target.split('?', 1)[0] ?? '';
  const isApi = isCounted(path);
  checkRateLimitHeaders(answer, isApi);
  assert.equal(header(answer, 'X-Content-Type-Options'), 'nosniff');
  if (isApi || answer.status >= 400) assert.equal(header(answer, 'Cache-Control'), 'no-store');
  const operation = operationAt(method, path);
  if (method === 'HEAD') assert.equal(answer.text, '');
  else if (answer.status >= 400 && !hasOwnBody(operation, answer.status))
    assert.deepEqual(problemsOf(errorBody, answer), []);
  if (operation === undefined) return;
  checkOperation(operation, method, answer);
  const { status, text } = answer;
  assert.deepEqual(vendorProblems({ method, target, status, text }), []);
}

/** Returns the documented operation of a request, for HEAD that of GET, or undefined. */
function operationAt(method: string, path: string): DocumentedOperation | undefined {
  const word = method === 'HEAD' ? 'get' : method.toLowerCase();
  // Two templates can match one path; then they have different methods.
  return Object.entries(document.paths)
    .filter(([template]) => new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path))
    .map(([, operations]) => operations[word])
    .find((operation) => operation !== undefined);
}

/** Whether the operation documents its own error body; shared responses have the standard error format. */
function hasOwnBody(operation: DocumentedOperation | undefined, status: number): boolean {
  const entry = operation?.responses[status] as { $ref?: string } | undefined;
  return entry !== undefined && entry.$ref === undefined;
}

function checkOperation(operation: DocumentedOperation, method: string, answer: Answer): void {
  const { status } = answer;
  if (messageStatuses.has(status)) return;
  const place = `${operation.operationId} ${status}`;
  const documented = answerAt(operation, status);
  assert.ok(documented, `The document has no ${place}`);
  checkHeaders(place, documented, answer);
  const body = validatorFor(place, documented);
  if (method === 'HEAD') return;
  if (body === undefined) assert.equal(answer.text, '', place);
  else assert.deepEqual(problemsOf(body, answer), [], `${place}: ${answer.text.slice(0, 500)}`);
}

function answerAt(operation: DocumentedOperation, status: number): DocumentedAnswer | undefined {
  const entry = operation.responses[status] as (DocumentedAnswer & { $ref?: string }) | undefined;
  return entry?.$ref === undefined ? entry : (resolve(entry.$ref) as DocumentedAnswer);
}

function resolve(reference: string): unknown {
  const keys = reference.slice('#/'.length).split('/');
  return keys.reduce<unknown>((node, key) => (node as Record<string, unknown>)[key], document);
}

function checkHeaders(place: string, documented: DocumentedAnswer, answer: Answer): void {
  for (const name of documentedHeaders) {
    const promised = documented.headers?.[name];
    const lines = answer.lines[name.toLowerCase()] ?? [];
    const isThere = lines.length > 0 || promised?.required !== false;
    assert.equal(lines.length, promised !== undefined && isThere ? 1 : 0, `${place}: ${name}`);
    if (lines.length === 0) continue;
    const isInteger = document.components.headers[name]?.schema.type === 'integer';
    assert.match(lines[0]!, isInteger ? /^(0|[1-9]\d*)$/ : /./, `${place}: ${name}`);
  }
}

const validators = new Map<string, Validator | undefined>();

function validatorFor(place: string, { content }: DocumentedAnswer): Validator | undefined {
  if (!validators.has(place)) {
    const schema = content?.['application/json']?.schema;
    validators.set(place, schema && validatorOf(schema, document.components));
  }
  return validators.get(place);
}

function problemsOf(validate: Validator, answer: Answer): string[] {
  const type = header(answer, 'Content-Type');
  if (type !== 'application/json; charset=utf-8') return [`The type is ${type}`];
  assert.equal(header(answer, 'Content-Length'), String(Buffer.byteLength(answer.text)));
  return validate(JSON.parse(answer.text));
}

function checkRateLimitHeaders(answer: Answer, isApi: boolean): void {
  if (!isApi) {
    for (const name of sixHeaders) assert.equal(answer.lines[name.toLowerCase()], undefined, name);
    return;
  }
  for (const name of sixHeaders) assert.match(header(answer, name), /^(0|[1-9]\d*)$/, name);
  for (const name of ['Limit', 'Remaining', 'Reset']) {
    assert.equal(header(answer, `RateLimit-${name}`), header(answer, `X-RateLimit-${name}`));
  }
}

/** Whether the path, decoded like a router does, is under /v1/ or /v2/. */
function isCounted(path: string): boolean {
  const [, first = ''] = /^\/([^/]*)\//.exec(path) ?? [];
  try {
    return /^v[12]$/.test(decodeURIComponent(first));
  } catch {
    return false;
  }
}
