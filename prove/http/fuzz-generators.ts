import fc, { type Arbitrary } from 'fast-check';
import { anyText } from '../../packages/core/src/testing/any-text.ts';
import type { DemoTransaction } from '../../packages/server/src/demo/book/demo-book.ts';
import { makeDemoBook } from '../../packages/server/src/demo/book/make-demo-book.ts';
import {
  catalogue,
  goodRequest,
  targetOf,
} from '../../packages/server/src/operations/testing/catalogue.ts';
import { oddBody, oddlyChanged } from '../../test/service/odd-bodies.ts';
import { isOfUsers } from '../../test/service/signed-in.ts';
import type { RawRequest } from '../run/raw-connection.ts';
import { operations, type Operation, type Parameter } from './api-document.ts';
import { browserFields, fieldsOf, fuzzedHost, signedBody, type Signed } from './fuzz-sessions.ts';
import { formSketch, garbage, mostly, poison } from './fuzz-values.ts';
import type { Records } from '../../packages/server/src/operations/testing/special-requests.ts';

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
  anyText({ maxLength: 40 }),
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
  'application/json',
  'application/json; charset=utf-8',
  'application/json;charset=latin1',
  'text/plain',
  'application/xml',
  'multipart/form-data; boundary=x',
  'application/json\t',
  'application/json, text/html',
  ' application/json ;x="y',
  '*/*',
  '',
  'application/JSON; a=b',
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
  fc.constantFrom('/', '/healthz', '/readyz', '/openapi.json', '/docs', '/favicon.ico', '/metrics'),
  fc.constantFrom(
    '/v1/me',
    '/V2/me',
    '//v2/me',
    '/v2',
    '/v2/',
    '/%76%32/me',
    '/v2/%2e%2e/me',
    '/v2/me/',
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

/** Bodies that are like a good one, or any other JSON. */
function bodySketch({ method, path, form }: Operation) {
  if (form !== undefined) return formSketch;
  const good = goodBodies.get(`${method} ${path}`);
  if (good === undefined) return undefined;
  const json = fc.constant('application/json');
  return {
    type: fc.oneof({ weight: 9, arbitrary: json }, { weight: 1, arbitrary: contentType }),
    body: fc.oneof(
      { weight: 7, arbitrary: oddlyChanged(good) },
      { weight: 2, arbitrary: oddBody },
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

/** Returns rounds of valid requests, in each the request of the catalogue for every operation. */
export async function plainRequests(
  token: string,
  { users }: Signed,
  rounds: number,
): Promise<RawRequest[][]> {
  let next = 0;
  const all: RawRequest[][] = Array.from({ length: rounds }, () => []);
  for (const round of all)
    for (const { method, declaration } of catalogue) {
      const choice = unfit.has(declaration.id) ? { at: { place: 'path id', id: missing } } : {};
      const request = await goodRequest(declaration.id, records, choice);
      const target = targetOf(request);
      // Some of them end the session, so each has its own user.
      const user = isOfUsers(target) ? users[next++ % users.length] : undefined;
      const own =
        (user && signedBody(`${method} ${declaration.path}`, user)) ??
        transferBodies[declaration.id];
      const body = own ?? request.body;
      const isTyped = body !== undefined || user !== undefined;
      const bytes = request.file?.bytes ?? (body === undefined ? '' : JSON.stringify(body));
      const sketch = {
        fields: user === undefined ? [] : fieldsOf(user.cookie),
        token: user === undefined ? 'good' : 'cookie',
        type: request.file?.type ?? (isTyped ? 'application/json' : null),
        isChunked: false,
        method,
        target,
        body: '',
      } as const;
      round.push(requestOf(sketch, token, Buffer.from(bytes)));
    }
  return all;
}

function requestOf(sketch: Sketch, token: string, body = Buffer.from(sketch.body)): RawRequest {
  const { method, target } = sketch;
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

export const fuzzedTransactions = 100;

const { transactions, rules = [] } = makeDemoBook({ transactions: fuzzedTransactions });
/** The first split transaction of the demo book: an unknown id gets a 400 there. */
const splitId = transactions.findIndex(({ is_split_parent }) => is_split_parent) + 1;
/** The rules of the demo book, and the first that a request creates. */
const ruleIds = [...rules.keys(), rules.length].map((n) => n + 1);
const isOfOne = ({ is_split_parent, is_group_parent, groupParent }: DemoTransaction): boolean =>
  !is_split_parent && !is_group_parent && groupParent === null;
/** The amounts of a split are those of no transaction here, and a category may have become part of another one. */
const unfit: ReadonlySet<string> = new Set(['splitTransaction', 'updateCategorySettings']);
/** Bodies whose records fit each other, and that no other request changes: it has those with ids from 3 to 12. */
const transferBodies: Readonly<Record<string, object | undefined>> = {
  createTransfer: {
    sent_id: transactions.findIndex((row) => row.manualAccount === 0 && row.amount > 0) + 1,
    received_id:
      transactions.findLastIndex(
        (row) =>
          row.manualAccount !== 0 && row.manualAccount !== null && row.amount < 0 && isOfOne(row),
      ) + 1,
  },
  createTransferWithTransactions: {
    from_account: { manual_account_id: 1 },
    to_account: { manual_account_id: 2 },
    date: '2026-03-04',
    amount: '12.50',
  },
};
/** No provider is called for a known cryptocurrency. */
const known = 'https://www.coingecko.com/en/coins/ethereum';

let count = 0;

const missing = 87_654_321;

/** The demo book: it has the first ids, and keeps those that others link to. Its first versions cannot be undone. */
const records: Records = {
  own: (kind) => {
    if (kind === 'split') return splitId;
    return kind === 'crypto' || kind === 'group' ? missing : 3 + ((count += 1) % 10);
  },
  link: () => 2,
  fresh: (text) => (text.startsWith('https:') ? known : `${text} ${(count += 1)}`),
  version: () => missing,
  rules: () => ruleIds,
  prepared: (request) => request,
};

const goodBodies = new Map<string, unknown>();
for (const { method, declaration } of catalogue) {
  const { body } = await goodRequest(declaration.id, records, { isBare: true });
  if (body !== undefined) goodBodies.set(`${method} ${declaration.path}`, body);
}

export interface WildBytes {
  readonly bytes: Buffer;
  /** The most 2xx responses: a smuggled request must get none. */
  readonly mostSuccesses: number;
}

/** Generates requests with bytes flipped, removed, doubled or inserted, several in one message, and smuggling. */
export function wildBytes(requests: Arbitrary<RawRequest>, token: string): Arbitrary<WildBytes> {
  const mutated = fc
    .tuple(
      fc.array(requests, { minLength: 1, maxLength: 3 }),
      fc.array(mutation, { minLength: 1, maxLength: 4 }),
    )
    .map(([parts, mutations]) => {
      const bytes = Buffer.concat(parts.map((part) => part.bytes));
      return {
        bytes: mutations.reduce<Buffer>((sofar, mutate) => mutate(sofar), bytes),
        mostSuccesses: Infinity,
      };
    });
  const smuggled = fc.constantFrom(...smugglingForms(token)).map((text) => ({
    bytes: Buffer.from(text, 'latin1'),
    mostSuccesses: 0,
  }));
  return fc.oneof({ weight: 6, arbitrary: mutated }, { weight: 1, arbitrary: smuggled });
}

type Mutation = (bytes: Buffer) => Buffer;

const place = fc.double({ min: 0, max: 1, noNaN: true });
const hostile = [
  '\r\n',
  '\n',
  '\r',
  '\0',
  ' ',
  '\t',
  ':',
  '\r\n\r\n',
  'HTTP/1.0',
  'HTTP/2.0',
  '\x16\x03\x01',
  'Host: b\r\n',
  '\r\n \r\n',
];
const mutation: Arbitrary<Mutation> = fc.oneof<Arbitrary<Mutation>[]>(
  fc
    .tuple(place, fc.integer({ min: 1, max: 255 }))
    .map(([where, mask]) => (bytes: Buffer): Buffer => {
      const copy = Buffer.from(bytes);
      const at = Math.floor(where * copy.length);
      if (at < copy.length) copy[at]! ^= mask;
      return copy;
    }),
  place.map(
    (where) =>
      (bytes: Buffer): Buffer =>
        bytes.subarray(0, Math.floor(where * bytes.length)),
  ),
  fc.tuple(place, place).map(([a, b]) => (bytes: Buffer): Buffer => {
    const [from = 0, to = 0] = [a, b]
      .map((each) => Math.floor(each * bytes.length))
      .toSorted((x, y) => x - y);
    return Buffer.concat([bytes.subarray(0, to), bytes.subarray(from)]);
  }),
  fc.tuple(place, fc.constantFrom(...hostile)).map(([where, text]) => (bytes: Buffer): Buffer => {
    const at = Math.floor(where * bytes.length);
    return Buffer.concat([bytes.subarray(0, at), Buffer.from(text, 'latin1'), bytes.subarray(at)]);
  }),
);

/** Requests that two parsers may end at different places; the second request must get no response. */
function smugglingForms(token: string): string[] {
  const inner = `GET /v2/me HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n\r\n`;
  const framings = [
    `Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    `Transfer-Encoding: chunked\r\nContent-Length: 6\r\n\r\n0\r\n\r\n`,
    `Content-Length: 0\r\nContent-Length: ${inner.length}\r\n\r\n`,
    `Content-Length: 0, ${inner.length}\r\n\r\n`,
    `Content-Length: +0\r\n\r\n`,
    `Content-Length: 0x0\r\n\r\n`,
    `Content-Length: 0 0\r\n\r\n`,
    `Content-Length : 0\r\n\r\n`,
    `Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`,
    `Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`,
    `Transfer-Encoding: identity, chunked\r\nTransfer-Encoding: x\r\n\r\n0\r\n\r\n`,
    `Transfer-Encoding\t: chunked\r\n\r\n0\r\n\r\n`,
    `Transfer-Encoding:\x0bchunked\r\n\r\n0\r\n\r\n`,
    `Transfer-Encoding: chunked\r\n\r\n0x0\r\n\r\n`,
    `Transfer-Encoding: chunked\r\n\r\n0\n\n`,
    `Transfer-Encoding: chunked\r\n\r\n10000000000000000\r\n`,
    `X: a\rContent-Length: 0\r\n\r\n`,
    `X: a\n\nContent-Length: 0\r\n\r\n`,
  ];
  const post = `POST /v2/me HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n`;
  return framings.map((framing) => `${post}${framing}${inner}`);
}
