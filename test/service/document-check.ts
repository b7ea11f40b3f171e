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
export interface DocumentedAnswer {
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
export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly components: {
    readonly responses: Readonly<Record<string, DocumentedAnswer>>;
    readonly schemas: Readonly<Record<string, object>>;
    readonly headers: Readonly<Record<string, { readonly schema: Schema }>>;
  };
}

export const document = read('openapi.json');
export const cofferDocument = read('coffer-openapi.json');
const documentV1 = read('openapi-v1.json');
export const documents: readonly Document[] = [document, documentV1, cofferDocument];

function read(name: string): Document {
  const file = new URL(`../../docs/${name}`, import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')) as Document;
}

const errorBody = validatorOf({ $ref: '#/components/schemas/ErrorBody' }, document.components);
const namedError = validatorOf(
  { $ref: '#/components/schemas/NamedErrorV1' },
  documentV1.components,
);
const documentedHeaders = Object.keys(document.components.headers);
/** Statuses about the HTTP message; any operation can return them. */
const messageStatuses = new Set([403, 408, 413, 414, 415, 421]);

export const sixHeaders = ['', 'X-'].flatMap((prefix) =>
  ['Limit', 'Remaining', 'Reset'].map((name) => `${prefix}RateLimit-${name}`),
);

/**
 * Asserts that a response matches the document.
 *
 * For every path: the six headers under /v1/, /v2/ and /coffer/ and nowhere else, and the standard error format unless
 * the operation documents another body. For an operation: also status, headers and body, in our document and in the one
 * of the API that Coffer is compatible with.
 */
export function checkAnswer(method: string, target: string, answer: Answer): void {
  const path = target.split('?', 1)[0] ?? '';
  const isApi = isCounted(method, path);
  checkRateLimitHeaders(answer, isApi);
  assert.equal(header(answer, 'X-Content-Type-Options'), 'nosniff');
  assert.equal(header(answer, 'Referrer-Policy'), 'no-referrer');
  assert.equal(answer.lines['access-control-allow-origin'], undefined, 'no CORS');
  const isDocument = path === '/v1/openapi.json' && answer.status < 300;
  if ((isApi && !isDocument) || answer.status >= 400)
    assert.equal(header(answer, 'Cache-Control'), 'no-store');
  const operation = operationAt(method, path);
  if (method === 'HEAD') assert.equal(answer.text, '');
  else if (answer.status >= 400 && !hasOwnBody(operation, answer.status))
    assert.deepEqual(problemsOf(errorFormat(path, answer.status), answer), []);
  if (operation === undefined) return;
  checkOperation(operation, method, answer);
  const { status, text } = answer;
  assert.deepEqual(vendorProblems({ method, target, status, text }), []);
}

interface Described {
  readonly operation: DocumentedOperation;
  readonly in: Document;
}

function operationAt(method: string, path: string): Described | undefined {
  const word = method === 'HEAD' ? 'get' : method.toLowerCase();
  for (const each of documents) {
    const [template] = templatesOf(each, path).filter((found) => word in each.paths[found]!);
    if (template !== undefined) return { operation: each.paths[template]![word]!, in: each };
  }
  return undefined;
}

const patterns = new Map(documents.map((each) => [each, patternsOf(each)]));

/** The paths of a document as expressions, those with fewer parameters first. */
function patternsOf({ paths }: Document): readonly (readonly [template: string, RegExp])[] {
  const parametersOf = (template: string): number => template.split('{').length;
  return Object.keys(paths)
    .toSorted((one, other) => parametersOf(one) - parametersOf(other))
    .map((each) => [each, new RegExp(`^${each.replaceAll(/\{\w+\}/g, '[^/]+')}$`)]);
}

/** Returns the paths of a document that match a path of a request; those with fewer parameters first. */
export function templatesOf(document: Document, path: string): string[] {
  const all = patterns.get(document) ?? patternsOf(document);
  return all.filter(([, pattern]) => pattern.test(path)).map(([template]) => template);
}

/** Whether the operation documents its own error body; most shared responses have the standard error format. */
function hasOwnBody(described: Described | undefined, status: number): boolean {
  const entry = described?.operation.responses[status] as { $ref?: string } | undefined;
  return entry !== undefined && (entry.$ref === undefined || entry.$ref.endsWith('V1'));
}

/** v1 has its own bodies for a request without a valid token, and for one that cannot be parsed. */
function errorFormat(path: string, status: number): Validator {
  return path.startsWith('/v1/') && (status === 400 || status === 401) ? namedError : errorBody;
}

function checkOperation(described: Described, method: string, answer: Answer): void {
  const { status } = answer;
  if (messageStatuses.has(status)) return;
  const place = `${described.operation.operationId} ${status}`;
  const documented = responseOf(described.in, described.operation, status);
  assert.ok(documented, `The document has no ${place}: ${answer.text.slice(0, 500)}`);
  checkHeaders(place, documented, answer);
  const body = validatorFor(described.in, documented);
  const { content = {} } = documented;
  if (isFile(content)) {
    assert.ok((header(answer, 'Content-Type').split(';')[0] ?? '') in content, place);
    return;
  }
  if (method === 'HEAD') return;
  if (body === undefined) assert.equal(answer.text, '', place);
  else assert.deepEqual(problemsOf(body, answer), [], `${place}: ${answer.text.slice(0, 500)}`);
}

export function responseOf(
  from: Document,
  operation: DocumentedOperation,
  status: number | string,
): DocumentedAnswer | undefined {
  const entry = operation.responses[status] as (DocumentedAnswer & { $ref?: string }) | undefined;
  const name = entry?.$ref?.split('/').at(-1);
  return name === undefined ? entry : from.components.responses[name];
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

function isFile(content: Readonly<Record<string, unknown>>): boolean {
  return Object.keys(content).length > 0 && !('application/json' in content);
}

/** Most operations share the responses of refusals. */
const validators = new Map<DocumentedAnswer, Validator | undefined>();

function validatorFor({ components }: Document, documented: DocumentedAnswer) {
  if (!validators.has(documented)) {
    const schema = documented.content?.['application/json']?.schema;
    validators.set(documented, schema && validatorOf(schema, components));
  }
  return validators.get(documented);
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

/** Whether a request is counted: its decoded path is under a counted prefix, and not that of a document. */
function isCounted(method: string, path: string): boolean {
  const [, first = '', rest] = /^\/([^/]*)\/(.*)$/s.exec(path) ?? [];
  try {
    const prefix = decodeURIComponent(first);
    const isDocument = prefix === 'coffer' && rest === 'openapi.json';
    return /^(v[12]|coffer)$/.test(prefix) && !(isDocument && /^(GET|HEAD)$/.test(method));
  } catch {
    return false;
  }
}
