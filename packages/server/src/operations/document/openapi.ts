import type { TObject, TSchema } from 'typebox';
import { headers, resolveResponse, sharedResponses, type Response } from '../responses.ts';
import { acceptsKey, responsesOf, tags, type Described, type Declaration } from '../declaration.ts';
import { examplesOf } from '../examples.ts';
import { componentsIn, reference } from '../schema.ts';
import { overviewOf, type About } from './overview.ts';

type Json = Record<string, unknown>;

/** Only for GET: other requests have no earlier response to compare with. */
const ifNoneMatch = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description:
    'The `ETag` of an earlier response, or several, separated by commas. The response is 304 if one is current.',
  schema: { type: 'string' },
};

/** Only for POST: repetitions of other requests have no further effect. */
const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'A text that the client chooses for this request, such as a UUID. An equal request with the same key within 24 ' +
    'hours has no effect, and gets the first response again. An addition of Coffer.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

const cookie = {
  type: 'apiKey',
  in: 'cookie',
  name: 'coffer_8080',
  description:
    'The session of a browser. The name has the port, and begins with `__Host-` over https. A request that is not GET ' +
    'must come from a page of the service (`Sec-Fetch-Site: same-origin`, or an `Origin` equal to the host) and have ' +
    'the type `application/json`, or the header `x-coffer-upload`.',
};

/** The version of the API. */
export const apiVersion = '0.1.0';

/** What the document is built from. */
export interface Interface {
  readonly about: About;
  readonly operations: readonly Described[];
}

/** Returns the interface of the operations below a prefix, such as `/v2/`. */
export function interfaceOf(prefix: string, about: About, all: readonly Described[]): Interface {
  return {
    about,
    operations: all.filter(({ declaration }) => declaration.path.startsWith(prefix)),
  };
}

/** Returns the schemas that operations use, directly or inside another, by their names in the document. */
export function componentsOf(operations: readonly Described[]): Record<string, TSchema> {
  return componentsIn(operations.flatMap(schemasOf));
}

function schemasOf(operation: Described): TSchema[] {
  const { params, query, body } = operation.declaration;
  const bodies = Object.values(responsesOf(operation))
    .map(resolveResponse)
    .flatMap(({ component, otherComponent }) => [component, otherComponent]);
  const own = [body, ...bodies].filter((schema) => schema !== undefined);
  return [
    ...[params, query].filter((schema) => schema !== undefined),
    ...own.map((schema) => reference(schema)),
  ];
}

/** Returns the OpenAPI 3.1.0 document of an interface; `serverUrl` is its address. */
export function openApiDocument(source: Interface, serverUrl = '/'): Json {
  const { about, operations } = source;
  const used = new Set(operations.map(({ declaration }) => declaration.tag));
  const paths = pathsOf(operations);
  const responses = referenced(paths, 'responses', mapValues(sharedResponses, describeResponse));
  const all = mapValues(headers, (header) => ({ ...header, required: true }));
  // Only the document with the operations of signing in describes the cookie.
  const hasCookie = operations.some(({ kind }) => kind === 'open');
  return {
    openapi: '3.1.0',
    info: {
      title: about.title,
      version: apiVersion,
      summary: about.summary,
      description: overviewOf(about),
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: serverUrl }],
    tags: Object.entries(tags)
      .filter(([name]) => used.has(name as keyof typeof tags))
      .map(([name, description]) => ({ name, description })),
    security: [{ bearer: [] }, ...(hasCookie ? [{ cookie: [] }] : [])],
    paths,
    components: {
      schemas: componentsOf(operations),
      responses,
      headers: referenced({ paths, responses }, 'headers', all),
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description:
            'An access token, sent as `Authorization: Bearer <token>`. It opens one book.',
        },
        ...(hasCookie && { cookie }),
      },
    },
  };
}

function pathsOf(operations: readonly Described[]): Json {
  return mapValues(
    Object.groupBy(operations, ({ declaration }) => declaration.path) as Record<
      string,
      readonly Described[]
    >,
    (methods) =>
      Object.fromEntries(methods.map((each) => [each.method.toLowerCase(), describe(each)])),
  );
}

/** Returns the components of a kind to which a part of the document refers. */
function referenced(part: Json, kind: string, all: Json): Json {
  const text = JSON.stringify(part);
  const isUsed = (name: string) => text.includes(`"#/components/${kind}/${name}"`);
  return Object.fromEntries(Object.entries(all).filter(([name]) => isUsed(name)));
}

/** Returns the document as published: JSON, indented by two spaces. */
export function openApiText(source: Interface, serverUrl?: string): string {
  return `${JSON.stringify(openApiDocument(source, serverUrl), null, 2)}\n`;
}

function describe(operation: Described): Json {
  const { declaration, method } = operation;
  return {
    operationId: declaration.id,
    tags: [declaration.tag],
    summary: declaration.summary,
    description: declaration.description,
    ...securityOf(operation),
    parameters: [
      ...parameters('path', declaration.params),
      ...parameters('query', declaration.query),
      ...(method === 'GET' && operation.kind !== 'open' ? [ifNoneMatch] : []),
      ...(acceptsKey(operation) ? [idempotencyKey] : []),
    ],
    ...requestBody(declaration),
    responses: mapValues(responsesOf(operation), (each) =>
      typeof each === 'string'
        ? { $ref: `#/components/responses/${each}` }
        : describeResponse(each),
    ),
  };
}

/** Only where it differs from that of the document. */
function securityOf({ kind, method, declaration }: Described): Json {
  if (declaration.needsSession === true) return { security: [{ cookie: [] }] };
  if (kind !== 'open') return {};
  return { security: method === 'GET' ? [{}, { bearer: [] }, { cookie: [] }] : [] };
}

function requestBody(declaration: Declaration): Json {
  const { body, bodyExamples, multipart, upload } = declaration;
  const required = declaration.isBodyOptional !== true;
  if (body === undefined) return {};
  const schema = reference(body);
  if (upload === true) {
    const file = { schema: { type: 'string', format: 'binary' } };
    const content = { 'multipart/form-data': { schema }, 'application/octet-stream': file };
    return { requestBody: { required: true, content } };
  }
  const examples = examplesOf(body, bodyExamples);
  const type = multipart === true ? 'multipart/form-data' : 'application/json';
  return { requestBody: { required, content: { [type]: { schema, examples } } } };
}

/** A parameter with a default is not required, though the validated query always has it. */
function parameters(place: 'path' | 'query', schema: TObject | undefined): Json[] {
  const always: readonly string[] = schema?.required ?? [];
  return Object.entries(schema?.properties ?? {}).map(([name, property]) => {
    const { description, ...rest } = property as Json;
    const required = always.includes(name) && !('default' in rest);
    return { name, in: place, required, description, schema: rest };
  });
}

function describeResponse(response: Response): Json {
  const { description, component, events, files, optionalHeaders = [] } = response;
  const { otherComponent } = response;
  const always = response.headers.map((name) => [name, { $ref: `#/components/headers/${name}` }]);
  const atTimes = optionalHeaders.map((name) => [name, { ...headers[name], required: false }]);
  const head = { description, headers: Object.fromEntries([...atTimes, ...always]) as Json };
  if (files !== undefined)
    return {
      ...head,
      content: mapValues(files, (samples) => ({ schema: { type: 'string' }, examples: samples })),
    };
  if (component === undefined) return head;
  const examples = examplesOf(component, response.examples);
  const bodies = [component, otherComponent].filter((each) => each !== undefined);
  const [body, other] = bodies.map((each) => reference(each));
  const schema = other === undefined ? body : { anyOf: [body, other] };
  const stream = { 'text/event-stream': { schema: { type: 'string' }, examples: events } };
  return {
    ...head,
    content: { 'application/json': { schema, examples }, ...(events !== undefined && stream) },
  };
}

function mapValues<V>(record: Readonly<Record<string, V>>, change: (value: V) => Json): Json {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}
