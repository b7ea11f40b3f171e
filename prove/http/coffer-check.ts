import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { validatorOf } from '../../packages/server/src/http/testing/schema-validator.ts';
import { isFile, sixHeaders } from '../../test/service/document-check.ts';
import { header, type Answer } from '../../test/service/http-exchange.ts';

interface Response {
  readonly $ref?: string;
  readonly content?: Readonly<Record<string, { readonly schema: object }>>;
}
interface Operation {
  readonly responses: Readonly<Record<string, Response>>;
}

const document = JSON.parse(
  readFileSync(new URL('../../docs/coffer-openapi.json', import.meta.url), 'utf8'),
) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly responses: Readonly<Record<string, Response>> };
};
const prefix = '#/components/responses/';
/** Statuses about the HTTP message; any operation can return them. */
const messageStatuses = new Set([403, 408, 413, 414, 415, 421]);

/** Whether a target is one of Coffer's own API. */
export function isOwnApi(target: string): boolean {
  return target.startsWith('/coffer/') && !/^\/coffer\/openapi\.json(\?|$)/.test(target);
}

/** Asserts that a response of Coffer's own API has the headers of its limit, and matches its document. */
export function checkOwnAnswer(method: string, target: string, answer: Answer): void {
  for (const name of sixHeaders) assert.match(header(answer, name), /^(0|[1-9]\d*)$/, name);
  assert.equal(header(answer, 'X-Content-Type-Options'), 'nosniff');
  assert.equal(header(answer, 'Cache-Control'), 'no-store');
  const operation = operationAt(method, target.split('?', 1)[0]!);
  const { status, text } = answer;
  if (operation === undefined || messageStatuses.has(status)) return;
  const entry = operation.responses[status];
  assert.ok(entry, `${method} ${target}: the document has no ${status}`);
  const { content } =
    entry.$ref === undefined
      ? entry
      : document.components.responses[entry.$ref.slice(prefix.length)]!;
  if (content !== undefined && isFile(content)) {
    assert.ok((header(answer, 'Content-Type').split(';')[0] ?? '') in content, target);
    return;
  }
  const schema = content?.['application/json']?.schema;
  if (method === 'HEAD' || schema === undefined) assert.equal(text, '');
  else {
    const problems = validatorOf(schema, document.components)(JSON.parse(text));
    assert.deepEqual(problems, [], `${method} ${target} ${status}: ${text.slice(0, 500)}`);
  }
}

/** Returns the documented operation of a request, for HEAD that of GET, or undefined. */
function operationAt(method: string, path: string): Operation | undefined {
  const verb = method === 'HEAD' ? 'get' : method.toLowerCase();
  return (
    Object.entries(document.paths)
      .filter(([template]) => isAt(template, path))
      // A path without parameters takes precedence.
      .toSorted(([one], [other]) => Number(one.includes('{')) - Number(other.includes('{')))
      .map(([, operations]) => operations[verb])
      .find((operation) => operation !== undefined)
  );
}

function isAt(template: string, path: string): boolean {
  return new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path);
}
