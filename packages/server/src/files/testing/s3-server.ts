import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { endsWithFile } from '../../../../core/src/testing/ends.ts';
import { signedHeaders, signedTarget } from '../s3.ts';
import { parseFilesLocation, type S3Location } from '../store.ts';

const s3Key = { accessKey: 'AKEXAMPLE', secretKey: 'sec/ret+key=', region: 'eu-west-1' };

/** What a server of {@link startS3Server} has. */
interface S3Server {
  readonly objects: Map<string, Buffer>;
  nowMs: number;
  /** Replaces responses while it is set. */
  fault: ((response: ServerResponse) => void) | null;
}

/** How each test file finds it. */
const initially = { nowMs: Date.UTC(2026, 0, 2), fault: null };

export const s3Server: S3Server = { objects: new Map(), ...initially };

/**
 * Starts a server on the loopback that keeps one bucket and checks every signature, and returns a location in it. Its
 * lists have two entries on a page. It ends with the test file.
 */
export async function startS3Server(): Promise<{
  readonly url: string;
  readonly location: S3Location;
}> {
  s3Server.objects.clear();
  Object.assign(s3Server, initially);
  const server = createServer((request, response) => void respond(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  endsWithFile(() => {
    server.close().closeAllConnections();
  });
  const [own, secret] = [s3Key.accessKey, s3Key.secretKey].map(encodeURIComponent);
  const at = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const url = `s3+http://${own}:${secret}@${at}/bucket/of/coffer?region=${s3Key.region}`;
  return { url, location: parseFilesLocation(url) as S3Location };
}

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await buffer(request);
  const { method = '', url = '' } = request;
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  const fail = (status: number, code: string) =>
    response.writeHead(status).end(`<?xml version="1.0"?><Error><Code>${code}</Code></Error>`);
  if (s3Server.fault !== null) {
    s3Server.fault(response);
    return;
  }
  if (!isSigned(request, body, pathname, Object.fromEntries(searchParams)))
    return void fail(403, 'SignatureDoesNotMatch');
  if (pathname === '/bucket') return void response.end(listOf(searchParams));
  const name = pathname.replace(/^\/bucket\//, '');
  if (method === 'PUT') s3Server.objects.set(name, body);
  const found = s3Server.objects.get(name);
  if (method === 'DELETE') s3Server.objects.delete(name);
  for (const each of ['content-type', 'content-disposition'])
    response.setHeader(each, searchParams.get(`response-${each}`) ?? '');
  if (method === 'DELETE') response.writeHead(204).end();
  else if (found === undefined) fail(404, 'NoSuchKey');
  else if (method === 'HEAD') response.setHeader('content-length', found.length).end();
  else response.end(method === 'GET' ? found : '');
}

function listOf(query: URLSearchParams): string {
  const names = [...s3Server.objects.keys()].filter((name) =>
    name.startsWith(query.get('prefix') ?? ''),
  );
  const start = Number((query.get('continuation-token') ?? '<0>&').slice(1, -2));
  const page = names.toSorted().slice(start, start + 2);
  const time = new Date(s3Server.nowMs).toISOString();
  const entries = page.map(
    (name) => `<Contents><Key>${name}</Key><LastModified>${time}</LastModified></Contents>`,
  );
  const more = `<NextContinuationToken>&lt;${start + 2}&gt;&amp;</NextContinuationToken>`;
  const rest = start + 2 < names.length ? more : '';
  return `<?xml version="1.0"?><ListBucketResult>${rest}${entries.join('')}</ListBucketResult>`;
}

/** Signs what was received again: the signatures of the documentation are below. */
function isSigned(
  { method = '', url, headers }: IncomingMessage,
  body: Buffer,
  path: string,
  all: Readonly<Record<string, string>>,
): boolean {
  const time = all['X-Amz-Date'] ?? String(headers['x-amz-date']);
  const atMs = Date.parse(time.replace(/^(....)(..)(..T..)(..)(..)/, '$1-$2-$3:$4:$5'));
  const lasts = Number(all['X-Amz-Expires'] ?? 900);
  if (s3Server.nowMs < atMs || s3Server.nowMs > atMs + lasts * 1000) return false;
  const own = Object.entries(all).filter(([name]) => !name.startsWith('X-Amz-'));
  const request = { method, host: headers.host!, path, query: Object.fromEntries(own), atMs };
  if ('X-Amz-Signature' in all) return signedTarget(s3Key, request, lasts) === url;
  return signedHeaders(s3Key, request, body)['authorization'] === headers.authorization;
}
