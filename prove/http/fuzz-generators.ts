import fc, { type Arbitrary } from 'fast-check';
import { operations, type Operation, type Parameter } from './api-document.ts';
import { formSketch, plainForm } from './fuzz-forms.ts';
import { plainRequest } from './fuzz-plain.ts';
import { isOfUsers } from '../../test/service/signed-in.ts';
import { browserFields, fieldsOf, fuzzedHost, signedBody, type Signed } from './fuzz-sessions.ts';
import { bodyOf, garbage, mostly, poison } from './fuzz-values.ts';
import type { RawRequest } from '../run/raw-connection.ts';

function pathOf(template: string, parameters: readonly Parameter[]): Arbitrary<string> {
  const parts = template.split('/').map((part) => {
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    const parameter = parameters.find((each) => each.in === 'path' && each.name === name);
    return parameter === undefined ? fc.constant(part) : mostly(parameter.schema);
  });
  return fc.tuple(...parts).map((texts) => texts.join('/'));
}

function queryOf(parameters: readonly Parameter[]): Arbitrary<string> {
  const known = parameters
    .filter((parameter) => parameter.in === 'query')
    // Requests that wait would only take time.
    .map(
      ({ name, schema }) => [name, name === 'wait' ? { ...schema, maximum: 0 } : schema] as const,
    )
    .map(([name, schema]) => mostly(schema).map((value) => `${name}=${value}`));
  const names = known.length === 0 ? ['limit'] : parameters.map(({ name }) => name);
  const odd = fc
    .tuple(fc.constantFrom(...names, ...poison, 'limit[]', 'limit[a]', 'x'), garbage)
    .map(([name, value]) => `${name}=${value}`);
  const one = fc.oneof(
    ...known.map((arbitrary) => ({ weight: 6, arbitrary })),
    { weight: 1, arbitrary: odd },
    { weight: 1, arbitrary: garbage },
  );
  return fc.oneof(
    // Without known parameters, every query is refused.
    { weight: known.length === 0 ? 9 : 1, arbitrary: fc.constant('') },
    {
      weight: 3,
      arbitrary: fc.array(one, { minLength: 1, maxLength: 3 }).map((all) => `?${all.join('&')}`),
    },
  );
}

const jsonText = fc.oneof(
  fc.json({ maxDepth: 4 }),
  fc.constantFrom(...poison).map((key) => `{"a":{"${key}":{"x":1}}}`),
  fc.integer({ min: 1, max: 3000 }).map((depth) => '['.repeat(depth) + ']'.repeat(depth)),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom('{"a":1,"a":2}', '{"a":1e999}', '\uFEFF{}', '{"\\ud800":1}', 'null', '""', '{'),
);
const someBody = fc.oneof(
  { weight: 8, arbitrary: fc.constant('') },
  { weight: 4, arbitrary: jsonText },
  {
    weight: 1,
    arbitrary: fc.constantFrom(20_000, 1_100_000).map((length) => `"${'x'.repeat(length)}"`),
  },
);
const contentType = fc.constantFrom(
  ...['application/json', 'application/json; charset=utf-8', 'application/json;charset=latin1'],
  ...[
    'text/plain',
    'application/xml',
    'multipart/form-data; boundary=x',
    'application/json\t',
    'a',
  ],
  ...['application/json, text/html', ' application/json ;x="y', '*/*', '', 'application/JSON; a=b'],
);

const headerValue = fc.oneof(
  fc
    .array(fc.oneof(fc.integer({ min: 0x20, max: 0x7e }), fc.integer({ min: 0x80, max: 0xff })), {
      maxLength: 40,
    })
    .map((codes) => String.fromCharCode(...codes)),
  fc.constantFrom(...'* W/"x" " 127.0.0.1 identity gzip -1 0 null'.split(' '), '1'.repeat(200)),
);
const headerName = fc.constantFrom(
  ...(
    'If-None-Match If-Modified-Since Accept Accept-Encoding Accept-Version Range X-Forwarded-For Forwarded ' +
    'X-Real-IP Cookie Origin Referer X-HTTP-Method-Override Access-Control-Request-Method Prefer ' +
    'Idempotency-Key TE Via Warning Date __proto__ constructor toString X Content-Encoding Content-Language ' +
    'Authorization'
  ).split(' '),
);
const headers = fc.array(fc.tuple(headerName, headerValue), { maxLength: 4 });

const methods = 'GET HEAD POST PUT PATCH DELETE OPTIONS TRACE PROPFIND QUERY'.split(' ');
const elsewhere = fc.oneof(
  fc.constantFrom(
    ...['/', '/healthz', '/readyz', '/openapi.json', '/docs', '/favicon.ico', '/metrics'],
  ),
  fc.constantFrom(
    ...['/v1/me', '/V2/me', '//v2/me', '/v2', '/v2/', '/%76%32/me', '/v2/%2e%2e/me', '/v2/me/'],
  ),
  fc
    .tuple(fc.constantFrom('/', '/v1/', '/v2/', '/v2/transactions/', '/v2/me'), garbage)
    .map((two) => two.join('')),
);

interface Sketch {
  readonly method: string;
  readonly target: string;
  readonly fields: readonly (readonly [string, string])[];
  readonly token: 'good' | 'bad' | 'none' | 'cookie';
  readonly type: string | null;
  readonly body: string;
  readonly isChunked: boolean;
}

type SketchParts = { readonly [Key in keyof Sketch]: Arbitrary<Sketch[Key]> };

function sketchOf(
  method: Arbitrary<string>,
  target: Arbitrary<string>,
  more: Partial<SketchParts> = {},
): Arbitrary<Sketch> {
  return fc.record({
    method,
    target,
    fields: fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: headers }),
    token: fc.constantFrom<Sketch['token'][]>('good', 'good', 'good', 'cookie', 'bad', 'none'),
    type: fc.option(contentType),
    body: someBody,
    isChunked: fc.boolean(),
    ...more,
  });
}

function bodySketch({ body, form }: Operation): Pick<SketchParts, 'type' | 'body'> | undefined {
  if (form !== undefined) return formSketch;
  if (body === undefined) return undefined;
  const json = fc.constant('application/json');
  return {
    type: fc.oneof({ weight: 9, arbitrary: json }, { weight: 1, arbitrary: contentType }),
    body: fc.oneof(
      { weight: 9, arbitrary: bodyOf(body).map((value) => JSON.stringify(value)) },
      { weight: 1, arbitrary: someBody },
    ),
  };
}

/** A few keys, so that some are used again: with the same body, with another one, and at other operations. */
const idempotencyKeys = fc.oneof(
  fc.integer({ min: 1, max: 400 }).map((n) => `key-${n}`),
  fc.constantFrom('x'.repeat(255), 'x'.repeat(256), ' ', 'a,b', '"a"'),
);

function keySketch(parameters: readonly Parameter[]): Pick<SketchParts, 'fields'> | undefined {
  if (!parameters.some(({ name }) => name === 'Idempotency-Key')) return undefined;
  const key = idempotencyKeys.map((value) => [['Idempotency-Key', value] as const]);
  return { fields: fc.oneof(fc.constant([]), key, headers) };
}

function sketchOfOperation(operation: Operation): Arbitrary<Sketch> {
  const { method, path, parameters } = operation;
  const target = fc.tuple(pathOf(path, parameters), queryOf(parameters)).map((two) => two.join(''));
  const mostlyOwn = fc.oneof(
    { weight: 6, arbitrary: fc.constant(method) },
    { weight: 1, arbitrary: fc.constantFrom(...methods) },
  );
  return sketchOf(mostlyOwn, target, { ...bodySketch(operation), ...keySketch(parameters) });
}

export function fuzzRequests(token: string, signed: Signed): Arbitrary<RawRequest> {
  const beside = sketchOf(fc.constantFrom(...methods), elsewhere);
  return fc
    .oneof(
      { weight: 4, arbitrary: fc.oneof(...operations.map(sketchOfOperation)) },
      { weight: 1, arbitrary: beside },
    )
    .chain((sketch) => {
      // A token is not enough there.
      const isSigned = isOfUsers(sketch.target) && sketch.token === 'good';
      if (!isSigned && sketch.token !== 'cookie') return fc.constant(requestOf(sketch, token));
      return browserFields(signed, sketch.target).map((fields) =>
        requestOf({ ...sketch, token: 'cookie', fields: [...fields, ...sketch.fields] }, token),
      );
    });
}

export function plainRequests(token: string, { users }: Signed): Arbitrary<RawRequest[]> {
  let next = 0;
  const all = operations.map((operation) =>
    fc.tuple(
      fc.constant(`${operation.method} ${operation.path}`),
      plainRequest(operation),
      operation.form === undefined ? noForm : plainForm(operation),
    ),
  );
  return fc.tuple(...all).map((requests) =>
    requests.map(([operation, { method, target, body }, form]) => {
      // Some of them end the session, so each has its own user.
      const user = isOfUsers(target) ? users[next++ % users.length] : undefined;
      const own = user && signedBody(operation, user);
      const { type, text } = form ?? {
        type: 'application/json',
        text: own === undefined ? body : JSON.stringify(own),
      };
      const isTyped = text !== undefined || user !== undefined;
      const sketch = {
        fields: user === undefined ? [] : fieldsOf(user.cookie),
        token: user === undefined ? 'good' : 'cookie',
        ...{ isChunked: false, method, target },
      } as const;
      return requestOf({ ...sketch, type: isTyped ? type : null, body: text ?? '' }, token);
    }),
  );
}

const noForm = fc.constant(undefined);

function requestOf(sketch: Sketch, token: string): RawRequest {
  const { method, target } = sketch;
  const body = Buffer.from(sketch.body);
  const fields = [
    ['Host', fuzzedHost],
    ...authorizationOf(sketch, token),
    ...(sketch.type === null ? [] : [['Content-Type', sketch.type]]),
    ...sketch.fields,
    ...framingOf(body, sketch.isChunked),
  ];
  const head = fields.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const bytes = [
    Buffer.from(`${method} ${target} HTTP/1.1\r\n${head}\r\n`, 'latin1'),
    ...payloadOf(body, sketch.isChunked),
  ];
  return { method, target, bytes: Buffer.concat(bytes) };
}

function authorizationOf(sketch: Sketch, token: string): string[][] {
  if (sketch.token === 'none' || sketch.token === 'cookie') return [];
  return [['Authorization', sketch.token === 'good' ? `Bearer ${token}` : `Bearer ${token}x`]];
}

function framingOf(body: Buffer, isChunked: boolean): string[][] {
  if (body.length === 0) return [];
  return isChunked ? [['Transfer-Encoding', 'chunked']] : [['Content-Length', String(body.length)]];
}

function payloadOf(body: Buffer, isChunked: boolean): Buffer[] {
  if (body.length === 0 || !isChunked) return [body];
  return [Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n0\r\n\r\n')];
}
