import { createHmac, hash } from 'node:crypto';

/** Who signs, and for which region. */
export interface S3Signer {
  readonly accessKey: string;
  readonly secretKey: string;
  readonly region: string;
}

/** A request to sign. */
export interface S3Request {
  readonly method: string;
  /** The host, with its port unless it is the default. */
  readonly host: string;
  /** The path, with its parts encoded by {@link encode}. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** Milliseconds since 1970. */
  readonly atMs: number;
}

/** Replaces the hash of the body in links. */
const unsigned = 'UNSIGNED-PAYLOAD';
const algorithm = 'AWS4-HMAC-SHA256';

/**
 * Returns the headers that sign a request, with its time and the hash of its body, which is given as its bytes or as
 * their SHA-256 in hexadecimal digits. `headers` are signed too, in lower
 * case, and are among those returned; `host` is not.
 *
 * Source: AWS Signature Version 4 for Amazon S3, "Authorization header: transferring the payload in a single chunk".
 */
export function signedHeaders(
  signer: S3Signer,
  request: S3Request,
  body: Uint8Array | string,
  headers: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const payload = typeof body === 'string' ? body : hash('sha256', body);
  const time = timeOf(request.atMs);
  const own = { ...headers, 'x-amz-content-sha256': payload, 'x-amz-date': time };
  const signed = { ...own, host: request.host };
  const { names, text } = canonical(request, request.query, signed, payload);
  const scope = scopeOf(signer, time);
  const signature = sign(signer, time, text);
  const authorization = `${algorithm} Credential=${signer.accessKey}/${scope},SignedHeaders=${names},Signature=${signature}`;
  return { ...own, authorization };
}

/**
 * Returns the path and query of a link that is valid for some seconds, 1 to 604,800, from `atMs`.
 *
 * Source: AWS Signature Version 4 for Amazon S3, "Authenticating requests: using query parameters".
 */
export function signedTarget(signer: S3Signer, request: S3Request, expiresSeconds: number): string {
  const time = timeOf(request.atMs);
  const query = {
    ...request.query,
    'X-Amz-Algorithm': algorithm,
    'X-Amz-Credential': `${signer.accessKey}/${scopeOf(signer, time)}`,
    'X-Amz-Date': time,
    'X-Amz-Expires': String(expiresSeconds),
    'X-Amz-SignedHeaders': 'host',
  };
  const { text } = canonical(request, query, { host: request.host }, unsigned);
  const signature = sign(signer, time, text);
  return `${request.path}?${queryText({ ...query, 'X-Amz-Signature': signature })}`;
}

/** Returns a query in the canonical form: sorted, encoded by {@link encode}. */
export function queryText(query: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(query).map(([name, value]) => [encode(name), encode(value)]);
  // By code units, which are bytes here.
  const sorted = pairs.sort(([a = ''], [b = '']) => (a < b ? -1 : 1));
  return sorted.map(([name, value]) => `${name}=${value}`).join('&');
}

/** Encodes everything but letters, digits and `-._~` as UTF-8 in percent escapes. */
export function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function canonical(
  { method, path }: S3Request,
  query: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>>,
  payload: string,
): { readonly names: string; readonly text: string } {
  const sorted = Object.entries(headers).sort(([a], [b]) => (a < b ? -1 : 1));
  const names = sorted.map(([name]) => name).join(';');
  const lines = sorted.map(([name, value]) => `${name}:${value.trim()}\n`).join('');
  return { names, text: [method, path, queryText(query), lines, names, payload].join('\n') };
}

function sign(signer: S3Signer, time: string, request: string): string {
  const text = [algorithm, time, scopeOf(signer, time), hash('sha256', request)].join('\n');
  const parts = scopeOf(signer, time).split('/');
  const key = parts.reduce<string | Buffer>(hmac, `AWS4${signer.secretKey}`);
  return hmac(key, text).toString('hex');
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function scopeOf({ region }: S3Signer, time: string): string {
  return `${time.slice(0, 8)}/${region}/s3/aws4_request`;
}

/** As `20130524T000000Z`. */
function timeOf(ms: number): string {
  return new Date(ms).toISOString().replaceAll(/[-:]|\.\d{3}/g, '');
}
