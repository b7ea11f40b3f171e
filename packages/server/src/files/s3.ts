import { createHash, createHmac, hash } from 'node:crypto';
import { createReadStream, createWriteStream, openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { contentDisposition } from './content.ts';
import { checkedKey, FileStoreError, isKey } from './store.ts';
import type { Download, FileStore, StoredFile, S3Location } from './store.ts';

/** The settings of a store. */
export interface S3StoreOptions {
  /** Milliseconds since 1970; the system's clock by default. */
  readonly now?: () => number;
  /** The time limit of each request; 20,000 by default. */
  readonly timeoutMs?: number;
}

const defaultTimeoutMs = 20_000;
const empty = new Uint8Array();

/**
 * Creates a store in a bucket, whose objects are addressed by path: `/BUCKET/PREFIX/KEY`.
 *
 * Source: Amazon S3 API: GetObject, PutObject, DeleteObject, ListObjectsV2.
 */
export function createS3Store(location: S3Location, options: S3StoreOptions = {}): FileStore {
  const store = new S3Requests(location, options);
  const { prefix } = location;
  const nameOf = (key: string): string => `/${prefix}${checkedKey(key)}`;
  return {
    async write(key, bytes) {
      await store.run('PUT', { name: nameOf(key), body: bytes });
    },
    async read(key) {
      const response = await store.send('GET', { name: nameOf(key) });
      return response === null ? null : store.bytesOf(response);
    },
    async size(key) {
      const response = await store.send('HEAD', { name: nameOf(key) });
      return response === null ? null : Number(response.headers.get('content-length'));
    },
    async remove(key) {
      await store.run('DELETE', { name: nameOf(key) });
    },
    list: () => listAll(store, prefix),
    linkTo: (key, download) => linkTo(location, nameOf(key), download),
  };
}

/** Objects of any name below the prefix of a location. Rejects like {@link FileStore}. */
export interface Bucket {
  /** Stores a file of this machine, of at most 5 GB. `signal` ends it early. */
  putFile(name: string, path: string, signal?: AbortSignal): Promise<void>;
  put(name: string, bytes: Uint8Array): Promise<void>;
  get(name: string): Promise<Uint8Array | null>;
  /** Writes an object of any size to a new private file. Returns false if there is none. */
  getFile(name: string, path: string): Promise<boolean>;
  remove(name: string): Promise<void>;
  /** Returns the names of all objects, in any order. */
  names(): Promise<string[]>;
}

/** A bucket accepts no larger object in one request. Source: Amazon S3 User Guide, "Uploading objects". */
const mostPutBytes = 5 * 2 ** 30;
/** A line that is slower than this is a failure. */
const leastBytesPerMs = 50;

/** Opens a bucket. */
export function openBucket(location: S3Location, options: S3StoreOptions = {}): Bucket {
  const store = new S3Requests(location, options);
  const { prefix } = location;
  return {
    async putFile(name, path, signal) {
      const { size } = await stat(path);
      if (size > mostPutBytes)
        throw new FileStoreError(`A file of ${size} bytes is too large for a bucket: 5 GB at most`);
      const sha256 = await sha256OfFile(path);
      const body = await openAsBlob(path);
      await store.run('PUT', { name: `/${prefix}${name}`, body, sha256, signal });
    },
    put: (name, body) => store.run('PUT', { name: `/${prefix}${name}`, body }),
    async get(name) {
      const response = await store.send('GET', { name: `/${prefix}${name}` });
      return response === null ? null : store.bytesOf(response);
    },
    async getFile(name, path) {
      const sent = { name: `/${prefix}${name}` };
      const head = await store.send('HEAD', sent);
      const bytes = Number(head?.headers.get('content-length'));
      const response = head && (await store.send('GET', { ...sent, bytes }));
      if (!response?.body) return false;
      const file = createWriteStream(path, { flags: 'wx', mode: 0o600 });
      await pipeline(reading(response.body), file);
      if (file.bytesWritten === bytes) return true;
      throw new FileStoreError('The file store sent a part of the file');
    },
    remove: (name) => store.run('DELETE', { name: `/${prefix}${name}` }),
    names: async () => {
      const found: string[] = [];
      for await (const { name } of listObjects(store, prefix)) found.push(name);
      return found;
    },
  };
}

async function* reading(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const parts = body[Symbol.asyncIterator]();
  for (;;) {
    const next = await reported(() => parts.next());
    if (next.done === true) return;
    yield next.value;
  }
}

async function sha256OfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

interface Sent {
  /** The name of the object, with a slash before it; empty for the bucket. */
  readonly name: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | Blob;
  /** Of the body; needed for a Blob. */
  readonly sha256?: string;
  /** The size of the response, if it may be large. */
  readonly bytes?: number;
  readonly signal?: AbortSignal | undefined;
}

class S3Requests {
  readonly #location: S3Location;
  readonly #now: () => number;
  readonly #timeoutMs: number;

  constructor(location: S3Location, options: S3StoreOptions) {
    const { now = Date.now, timeoutMs = defaultTimeoutMs } = options;
    this.#location = location;
    this.#now = now;
    this.#timeoutMs = timeoutMs;
  }

  /** Returns the response; null for an object that does not exist. Redirects are refused. */
  async send(method: string, sent: Sent): Promise<Response | null> {
    const { name, query = {}, body = empty, sha256, signal } = sent;
    const sentBytes = body instanceof Blob ? body.size : body.length;
    const { origin, bucket } = this.#location;
    const path = `/${bucket}${name}`;
    const { host } = new URL(origin);
    const request = { method, host, path, query, atMs: this.#now() };
    const headers = signedHeaders(this.#location, request, sha256 ?? (body as Uint8Array));
    const timeoutMs = this.#timeoutMs + Math.ceil((sent.bytes ?? sentBytes) / leastBytesPerMs);
    const target = name === '' ? `${path}?${queryText(query)}` : path;
    const response = await this.#fetch(origin + target, {
      method,
      headers,
      redirect: 'manual',
      ...(method === 'PUT' && { body: body as Uint8Array<ArrayBuffer> | Blob }),
      signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])]),
    });
    if (response.ok) return response;
    const text = await this.readText(response);
    const code = valueOf(text, 'Code') ?? 'no code';
    if (response.status === 404 && code !== 'NoSuchBucket') return null;
    throw new FileStoreError(`The file store returned ${response.status} (${code})`);
  }

  /** Sends a request for its effect, and frees its connection. */
  async run(method: string, sent: Sent): Promise<void> {
    const response = await this.send(method, sent);
    if (response !== null) await this.readText(response);
    else if (method === 'PUT') throw new FileStoreError('The file store refused the file (404)');
  }

  async bytesOf(response: Response): Promise<Uint8Array> {
    return new Uint8Array(await reported(() => response.arrayBuffer()));
  }

  async readText(response: Response): Promise<string> {
    return reported(() => response.text());
  }

  #fetch(url: string, options: RequestInit): Promise<Response> {
    return reported(() => fetch(url, options));
  }
}

/** Keeps only the code of an error, because its text may have the address. */
async function reported<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { name, cause } = error as Error;
    const { code = 'unknown error' } = Object(cause) as NodeJS.ErrnoException;
    const reason = name === 'TimeoutError' ? 'it did not respond in time' : code;
    throw new FileStoreError(`The file store cannot be reached (${reason})`, { cause: error });
  }
}

async function* listAll(store: S3Requests, prefix: string): AsyncGenerator<StoredFile> {
  for await (const { name, modifiedAtMs } of listObjects(store, prefix))
    if (isKey(name) && !Number.isNaN(modifiedAtMs)) yield { key: name, modifiedAtMs };
}

interface BucketObject {
  /** Without the prefix. */
  readonly name: string;
  readonly modifiedAtMs: number;
}

async function* listObjects(store: S3Requests, prefix: string): AsyncGenerator<BucketObject> {
  let token: string | null = null;
  do {
    const more = token === null ? {} : { 'continuation-token': token };
    const query: Record<string, string> = { 'list-type': '2', prefix, ...more };
    const response = await store.send('GET', { name: '', query });
    if (response === null) throw new FileStoreError('The file store has no list of its objects');
    const text = await store.readText(response);
    yield* objectsIn(text, prefix);
    token = valueOf(text, 'NextContinuationToken');
  } while (token !== null);
}

function* objectsIn(xml: string, prefix: string): Generator<BucketObject> {
  for (const part of xml.split('<Contents>').slice(1)) {
    const [entry = ''] = part.split('</Contents>', 1);
    const name = valueOf(entry, 'Key') ?? '';
    const modifiedAtMs = Date.parse(valueOf(entry, 'LastModified') ?? '');
    if (name.startsWith(prefix)) yield { name: name.slice(prefix.length), modifiedAtMs };
  }
}

/** Returns the text of the first element with this name, which has no attributes and no other elements; or null. */
function valueOf(xml: string, element: string): string | null {
  const start = xml.indexOf(`<${element}>`);
  const end = xml.indexOf(`</${element}>`, start);
  if (start < 0 || end < 0) return null;
  return xml
    .slice(start + element.length + 2, end)
    .replaceAll(/&(lt|gt|quot|apos|amp);/g, (_, name: string) => entities[name] ?? '');
}

const entities: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  amp: '&',
};

function linkTo(location: S3Location, name: string, download: Download): string {
  const { origin, bucket } = location;
  const query = {
    'response-content-type': download.type,
    'response-content-disposition': contentDisposition(download.name),
  };
  const path = `/${bucket}${name}`;
  const request = { method: 'GET', host: new URL(origin).host, path, query, atMs: download.nowMs };
  const seconds = Math.ceil((download.expiresAtMs - download.nowMs) / 1000);
  return origin + signedTarget(location, request, seconds);
}

/** Who signs, and for which region. */
interface S3Signer {
  readonly accessKey: string;
  readonly secretKey: string;
  readonly region: string;
}

/** A request to sign. */
interface S3Request {
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
