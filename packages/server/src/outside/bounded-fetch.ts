import type { IncomingMessage } from 'node:http';
import { TextDecoder } from 'node:util';
import { chosenTargets, noPrivateTargets, sendGuarded, TargetError } from './guarded-request.ts';
import type { PrivateTargets } from './guarded-request.ts';
import { CryptoRefreshError } from './provider-error.ts';

/** Maximum size of a response's body in bytes, unless a request allows more. */
export const maxResponseBytes = 1024 * 1024;
/** A Retry-After above a day is ignored. */
const maxRetryAfterSeconds = 86_400;
const htmlType = /^\s*(text\/html|application\/xhtml\+xml)\b/i;

/** How to reach a provider. */
export interface WayOut {
  /** Ends the request at any point. */
  readonly signal: AbortSignal;
  /** Private networks that a public name may lead to; none by default. */
  readonly privateTargets?: PrivateTargets | undefined;
  /** Whether a user of the service has chosen the URL: then a private address in it must be listed, too. */
  readonly isOfUser?: boolean;
}

/** One request to a provider. */
export interface BoundedRequest extends WayOut {
  /** The provider's name at the beginning of a sentence: `Kraken`, `The Ethereum node`. */
  readonly who: string;
  readonly method: 'GET' | 'POST';
  /** http or https. */
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Maximum size of the body of the response; {@link maxResponseBytes} by default. */
  readonly maxBytes?: number;
}

/**
 * Sends a request to a provider and returns the body of its response: status 200, UTF-8, of limited size.
 *
 * Redirects are not followed. Each request opens a new connection, so that no request is sent on a connection that the
 * provider is closing. A public name that leads into a private network is refused.
 *
 * @throws CryptoRefreshError that contains nothing of the URL, the headers or the body, because they contain secrets
 */
export async function boundedFetch(request: BoundedRequest): Promise<string> {
  return decodedText(request, await boundedFetchBytes(request));
}

/** As {@link boundedFetch}, for a JSON object. */
export async function fetchJson(request: BoundedRequest): Promise<JsonObject> {
  return parseJsonObject(request.who, await boundedFetch(request));
}

/** As {@link boundedFetch}, for a body that is not text. */
export async function boundedFetchBytes(request: BoundedRequest): Promise<Uint8Array> {
  const bytes = await fetchFound(request);
  if (bytes !== null) return bytes;
  throw new CryptoRefreshError('unreachable', `${request.who} was not found at its URL (404)`);
}

/**
 * As {@link boundedFetch}, but returns null when the provider says, in its own protocol, that it has no such thing:
 * status 404 without an HTML page.
 */
export async function fetchIfFound(request: BoundedRequest): Promise<string | null> {
  const bytes = await fetchFound(request);
  return bytes === null ? null : decodedText(request, bytes);
}

function decodedText({ who }: BoundedRequest, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw nonsense(who, 'bytes that are not UTF-8');
  }
}

async function fetchFound(request: BoundedRequest): Promise<Uint8Array | null> {
  const response = await sendRequest(request);
  try {
    if (response.statusCode === 404 && !isHtml(response)) return null;
    const failure = responseFailure(request.who, response);
    if (failure !== null) throw failure;
    return await readBody(request, response);
  } finally {
    response.destroy();
  }
}

/**
 * Returns the URL of a path below a base URL, with the query of the base, which may contain a key.
 *
 * @throws CryptoRefreshError when the base is not an http or https URL, without quoting it
 */
export function urlBelow(who: string, base: string, path: string): URL {
  const url = URL.parse(base);
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new CryptoRefreshError('unconfigured', `${who} has no http or https URL`);
  }
  url.pathname = url.pathname.replace(/(?<!\/)\/+$/, '') + path;
  return url;
}

/** The error for a response that breaks the protocol. `what` describes it and never quotes the response. */
export function nonsense(who: string, what: string): CryptoRefreshError {
  return new CryptoRefreshError('nonsense', `${who} sent an invalid response: ${what}`);
}

async function sendRequest(request: BoundedRequest): Promise<IncomingMessage> {
  const { url, method, body = '', privateTargets = noPrivateTargets, isOfUser = false } = request;
  const headers = {
    accept: 'application/json',
    'accept-encoding': 'identity',
    'user-agent': 'coffer',
    ...(method === 'POST' ? { 'content-length': Buffer.byteLength(body) } : {}),
    ...request.headers,
  };
  const targets = isOfUser ? privateTargets : chosenTargets(url, privateTargets);
  return sendGuarded({ ...request, headers, body, targets, isPlainAllowed: true }).catch(
    (error: unknown) => {
      throw connectionFailure(request, error as Error);
    },
  );
}

async function readBody(request: BoundedRequest, response: IncomingMessage): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  const { maxBytes = maxResponseBytes } = request;
  let size = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBytes) throw nonsense(request.who, `more than ${maxBytes / 1024 / 1024} MiB`);
      chunks.push(chunk);
    }
  } catch (error) {
    throw error instanceof CryptoRefreshError ? error : connectionFailure(request, error as Error);
  }
  return Buffer.concat(chunks);
}

/**
 * Returns the failure that status and media type mean, or null when the body can be read.
 *
 * An HTML page, a redirect and 404 come from a proxy, a maintenance page or a wrong URL. They are not about the account
 * or its key, so they count as unreachable.
 */
function responseFailure(who: string, response: IncomingMessage): CryptoRefreshError | null {
  const { statusCode = 0, headers } = response;
  if (statusCode === 429) {
    const seconds = retryAfterSeconds(headers['retry-after']);
    return new CryptoRefreshError('rateLimited', `${who} limits requests`, seconds);
  }
  if (isHtml(response)) {
    return new CryptoRefreshError('unreachable', `${who} sent an HTML page (${statusCode})`);
  }
  if (statusCode === 200) return null;
  if (statusCode === 401 || statusCode === 403) {
    return new CryptoRefreshError('refused', `${who} refused the key (${statusCode})`);
  }
  if (statusCode >= 300 && statusCode < 400) {
    return new CryptoRefreshError('unreachable', `${who} was not found at its URL (${statusCode})`);
  }
  if (statusCode >= 500) {
    return new CryptoRefreshError('unreachable', `${who} reported a server error (${statusCode})`);
  }
  return nonsense(who, `unexpected status ${statusCode}`);
}

function isHtml({ headers }: IncomingMessage): boolean {
  return htmlType.test(headers['content-type'] ?? '');
}

/** Whole seconds of a Retry-After header; null when missing or invalid. Dates are ignored, because clocks differ. */
function retryAfterSeconds(header: string | undefined): number | null {
  if (header === undefined || !/^\d{1,5}$/.test(header)) return null;
  const seconds = Number(header);
  return seconds <= maxRetryAfterSeconds ? seconds : null;
}

const privateHost = 'it is in a private network, which WEBHOOK_PRIVATE_TARGETS does not allow';

/** Keeps only the code of the error, because its text may contain the host. */
function connectionFailure({ who, signal }: BoundedRequest, error: Error): CryptoRefreshError {
  if (signal.aborted) return new CryptoRefreshError('timeout', `${who} did not respond in time`);
  if (error instanceof TargetError)
    return new CryptoRefreshError('unreachable', `${who}: ${privateHost}`);
  const { code = '' } = error as NodeJS.ErrnoException;
  if (code.startsWith('HPE_')) return nonsense(who, 'it is not HTTP');
  const detail = code === '' ? '' : ` (${code})`;
  return new CryptoRefreshError('unreachable', `${who} cannot be reached${detail}`);
}

/** A JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether the value is a JSON object: neither null nor an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Parses a response that must be a JSON object; throws the `nonsense` error of `who` otherwise. */
export function parseJsonObject(who: string, text: string): JsonObject {
  return objectOf(who, () => JSON.parse(text));
}

/** A JSON number as it was written, because a double would lose digits. */
export class NumberLiteral {
  readonly source: string;
  constructor(source: string) {
    this.source = source;
  }
}

type Reviver = (this: unknown, key: string, value: unknown, context: { source: string }) => unknown;

const asLiteral: Reviver = (_key, value, { source }) =>
  typeof value === 'number' ? new NumberLiteral(source) : value;

/** Like {@link parseJsonObject}, with every number as a {@link NumberLiteral}. */
export function parseJsonLiterals(who: string, text: string): JsonObject {
  // The third parameter of a reviver is in ES2026 but not yet in the types.
  return objectOf(who, () =>
    JSON.parse(text, asLiteral as (key: string, value: unknown) => unknown),
  );
}

function objectOf(who: string, parse: () => unknown): JsonObject {
  let value: unknown;
  try {
    value = parse();
  } catch {
    // The parser's message would quote the text. JSON that is nested too deep fails here too.
    throw nonsense(who, 'it is not JSON');
  }
  if (isJsonObject(value)) return value;
  throw nonsense(who, 'it is not a JSON object');
}
