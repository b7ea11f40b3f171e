import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** The one key that the server knows. */
const s3Key = { accessKey: 'AKEXAMPLE', secretKey: 'sec/ret+key=' };
const region = 'eu-west-1';

/** A server on the loopback that keeps one bucket and checks every signature. */
export interface S3Server {
  /** As the setting has it, with a prefix. */
  readonly location: string;
  /** The names of the objects and their bytes. */
  readonly objects: Map<string, Buffer>;
  /** The time of the server's clock, in milliseconds since 1970. */
  nowMs: number;
  /** Replaces responses while it is set; null for none. */
  fault: ((response: ServerResponse) => void) | null;
  readonly requests: string[];
  close(): Promise<void>;
}

/** Starts a server. Lists have two entries on a page. */
export async function startS3Server(): Promise<S3Server> {
  const server = createServer((request, response) => {
    void respond(state, request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const [key, secret] = [s3Key.accessKey, s3Key.secretKey].map(encodeURIComponent);
  const state: S3Server = {
    location: `s3+http://${key}:${secret}@127.0.0.1:${port}/bucket/of/coffer?region=${region}`,
    objects: new Map(),
    nowMs: Date.UTC(2026, 0, 2),
    fault: null,
    requests: [],
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
  return state;
}

async function respond(
  state: S3Server,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await buffer(request);
  const { method = '', url = '' } = request;
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  state.requests.push(`${method} ${pathname}`);
  if (state.fault !== null) {
    state.fault(response);
    return;
  }
  if (!isSigned(state, request, body)) {
    sendError(response, 403, 'SignatureDoesNotMatch');
    return;
  }
  if (pathname === '/bucket') {
    sendList(state, response, searchParams);
    return;
  }
  const name = pathname.replace(/^\/bucket\//, '');
  if (method === 'PUT') state.objects.set(name, body);
  if (method === 'DELETE') state.objects.delete(name);
  const found = state.objects.get(name);
  if (method === 'DELETE') response.writeHead(204).end();
  else if (found === undefined) sendError(response, 404, 'NoSuchKey');
  else sendObject(response, method === 'GET' ? found : Buffer.of(), searchParams);
}

function sendObject(response: ServerResponse, bytes: Buffer, query: URLSearchParams): void {
  const headers = ['content-type', 'content-disposition'].flatMap((name) => {
    const value = query.get(`response-${name}`);
    return value === null ? [] : [[name, value]];
  });
  response.writeHead(200, Object.fromEntries(headers) as Record<string, string>).end(bytes);
}

function sendError(response: ServerResponse, status: number, code: string): void {
  response.writeHead(status).end(`<?xml version="1.0"?><Error><Code>${code}</Code></Error>`);
}

function sendList({ objects, nowMs }: S3Server, response: ServerResponse, query: URLSearchParams) {
  const names = [...objects.keys()].filter((name) => name.startsWith(query.get('prefix') ?? ''));
  const start = Number((query.get('continuation-token') ?? '<0>&').slice(1, -2));
  const page = names.toSorted().slice(start, start + 2);
  const time = new Date(nowMs).toISOString();
  const entries = page.map(
    (name) => `<Contents><Key>${name}</Key><LastModified>${time}</LastModified></Contents>`,
  );
  const more = `<NextContinuationToken>&lt;${start + 2}&gt;&amp;</NextContinuationToken>`;
  const rest = start + 2 < names.length ? more : '';
  response.end(
    `<?xml version="1.0"?><ListBucketResult>${rest}${entries.join('')}</ListBucketResult>`,
  );
}

/** Checks the signature in the headers or in the query, and its time. */
function isSigned(state: S3Server, request: IncomingMessage, body: Buffer): boolean {
  const [path = '', search = ''] = (request.url ?? '').split('?');
  const query = search === '' ? [] : search.split('&');
  const inQuery = new URLSearchParams(search);
  const isLink = inQuery.has('X-Amz-Signature');
  const { authorization = '' } = request.headers;
  const part = (name: string) => new RegExp(`${name}=([^,]+)`).exec(authorization)?.[1] ?? '';
  const header = (name: string) => String(request.headers[name] ?? '');
  const time = isLink ? inQuery.get('X-Amz-Date')! : header('x-amz-date');
  const names = isLink ? inQuery.get('X-Amz-SignedHeaders')! : part('SignedHeaders');
  const scope = `${time.slice(0, 8)}/${region}/s3/aws4_request`;
  const credential = isLink ? inQuery.get('X-Amz-Credential') : part('Credential');
  const ageMs =
    state.nowMs - Date.parse(time.replace(/^(....)(..)(..T..)(..)(..)/, '$1-$2-$3:$4:$5'));
  const lastsMs = isLink ? Number(inQuery.get('X-Amz-Expires')) * 1000 : 900_000;
  if (credential !== `${s3Key.accessKey}/${scope}` || ageMs < 0 || ageMs > lastsMs) return false;
  const payload = createHash('sha256').update(body).digest('hex');
  if (!isLink && header('x-amz-content-sha256') !== payload) return false;
  const canonical = [
    ...[request.method, path],
    query
      .filter((pair) => !pair.startsWith('X-Amz-Signature='))
      .toSorted()
      .join('&'),
    ...names.split(';').map((name) => `${name}:${header(name)}`),
    ...['', names, isLink ? 'UNSIGNED-PAYLOAD' : payload],
  ].join('\n');
  const hashed = createHash('sha256').update(canonical).digest('hex');
  const hmac = (key: string | Buffer, text: string) =>
    createHmac('sha256', key).update(text).digest();
  let key: string | Buffer = `AWS4${s3Key.secretKey}`;
  for (const each of scope.split('/')) key = hmac(key, each);
  const expected = hmac(key, ['AWS4-HMAC-SHA256', time, scope, hashed].join('\n')).toString('hex');
  return expected === (isLink ? inQuery.get('X-Amz-Signature') : part('Signature'));
}
