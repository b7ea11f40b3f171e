import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import {
  sendGuarded,
  TargetError,
  addressOf,
  isPrivateAddress,
  isPrivateHost,
} from '../outside/guarded-request.ts';
import type { PrivateTargets, Resolve } from '../outside/guarded-request.ts';
import type { Outcome } from './rules.ts';

/** The body of a response is not used. More than this is not even read. */
const maxReadBytes = 16 * 1024;
const secondMs = 1000;

/** One request to a receiver. */
interface Post {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly targets: PrivateTargets;
  readonly timeoutMs: number;
  /** Ends the request at any point; then {@link post} rejects. */
  readonly signal: AbortSignal;
  readonly resolve?: Resolve | undefined;
}

/**
 * Sends a request to a receiver, and returns what happened. Redirects are not followed, each request has a connection
 * of its own, and `timeoutMs` is for all of it. Nothing of the URL or the response is in the outcome but the status.
 */
async function post(request: Post): Promise<Outcome> {
  const startedMs = performance.now();
  const durationMs = (): number => Math.round(performance.now() - startedMs);
  const timeout = AbortSignal.timeout(request.timeoutMs);
  const signal = AbortSignal.any([request.signal, timeout]);
  try {
    const response = await open(request, signal);
    const { statusCode: status = 0, headers } = response;
    await drain(response);
    const retryAfterMs = retryAfterOf(headers['retry-after']);
    return { status, error: errorOf(status), retryAfterMs, durationMs: durationMs() };
  } catch (error) {
    request.signal.throwIfAborted();
    const message = timeout.aborted
      ? `The receiver did not respond in ${request.timeoutMs / secondMs} s`
      : failureOf(error as NodeJS.ErrnoException);
    return { status: null, error: message, retryAfterMs: null, durationMs: durationMs() };
  }
}

function open(
  { url, headers, body, targets, resolve }: Post,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const all = {
    'content-type': 'application/json',
    'user-agent': 'coffer',
    'content-length': Buffer.byteLength(body),
    ...headers,
  };
  const request = { url, body, targets, signal, resolve, isPlainAllowed: false };
  return sendGuarded({ ...request, method: 'POST', headers: all });
}

/** Reads the rest of a small response, so that its sender sees no reset. The status counts, whatever happens now. */
async function drain(response: IncomingMessage): Promise<void> {
  let size = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>)
      if ((size += chunk.length) > maxReadBytes) break;
  } catch {
    // The receiver has responded.
  } finally {
    response.destroy();
  }
}

function errorOf(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400) return `A redirect (${status}), which is not followed`;
  return `The receiver responded with ${status}`;
}

function failureOf(error: NodeJS.ErrnoException): string {
  if (error instanceof TargetError) return error.message;
  const { code = '' } = error;
  if (code.startsWith('HPE_')) return 'The receiver does not speak HTTP';
  return `The receiver cannot be reached${code === '' ? '' : ` (${code})`}`;
}

/** Reads whole seconds or a date. Returns null if it is missing or invalid, or in the past. */
function retryAfterOf(header: string | undefined): number | null {
  if (header === undefined) return null;
  if (/^\d{1,9}$/.test(header)) return Number(header) * secondMs;
  const ms = Date.parse(header) - Date.now();
  return ms > 0 ? ms : null;
}

const maxUrlLength = 2000;

/**
 * Returns why a URL cannot be the target of a webhook, or null.
 *
 * Names are not resolved: what they mean is checked when a connection is opened.
 */
function urlProblem(text: string, { areAllowed, allows }: PrivateTargets): string | null {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || text.length > maxUrlLength)
    return `It must be a URL that begins with https://, of at most ${maxUrlLength} characters`;
  if (url.username !== '' || url.password !== '' || url.hash !== '')
    return 'It must not have a user, a password or a fragment';
  if (url.protocol === 'http:' && !areAllowed) return 'It must begin with https://';
  const address = addressOf(url.hostname);
  const isRefused = address === null ? !areAllowed : isPrivateAddress(address) && !allows(address);
  if (isRefused && isPrivateHost(url.hostname))
    return 'It is in a private network, which the settings of the server do not allow';
  if (url.protocol === 'http:' && address !== null && !isPrivateAddress(address))
    return 'It must begin with https://';
  return null;
}

/** A message to sign and send. */
export interface SealedMessage {
  readonly bookId: number;
  readonly url: string;
  /** The same for each attempt. */
  readonly id: string;
  /** JSON. */
  readonly body: string;
  /** The sealed secrets that sign it: the current one first. */
  readonly secrets: readonly Uint8Array[];
}

/** A new secret. */
export interface NewSecret {
  /** `whsec_` and 32 random bytes as Base64. It is shown once. */
  readonly secret: string;
  readonly sealed: Uint8Array;
}

/** Signs messages by the Standard Webhooks specification and sends them to receivers. */
export interface WebhookSender {
  /** Returns why a URL cannot be a target, or null. */
  urlProblem(url: string): string | null;
  /** Creates a secret for a book; null if there is no key to seal it with. */
  newSecret(bookId: number): Promise<NewSecret | null>;
  /** Sends a message once. Rejects only if `signal` is aborted. */
  send(message: SealedMessage, signal: AbortSignal): Promise<Outcome>;
}

/** The settings of a sender. */
export interface WebhookSenderOptions {
  /** 32 bytes that seal secrets; null when none was set. */
  readonly encryptionKey: Uint8Array | null;
  readonly privateTargets: PrivateTargets;
  /** 15,000 by default. */
  readonly timeoutMs?: number;
  /** Milliseconds since 1970; the system's clock by default. */
  readonly now?: () => number;
  readonly resolve?: Resolve;
}

/** Less than half of the lease of a webhook. */
const defaultTimeoutMs = 15_000;
const secretBytes = 32;
const noKey = 'This service has no encryption key: set ENCRYPTION_KEY';

/** Creates a sender. It loads the library that signs when it first sends. */
export function createWebhookSender(options: WebhookSenderOptions): WebhookSender {
  const { encryptionKey, privateTargets, timeoutMs = defaultTimeoutMs, resolve } = options;
  return {
    urlProblem: (url) => urlProblem(url, privateTargets),
    async newSecret(bookId) {
      if (encryptionKey === null) return null;
      const { sealCredentials } = await import('../outside/credentials.ts');
      const secret = `whsec_${randomBytes(secretBytes).toString('base64')}`;
      const sealed = sealCredentials(encryptionKey, bookId, { provider: 'webhook', secret });
      return { secret, sealed };
    },
    async send(message, signal) {
      const headers = await signed(options, message);
      if (typeof headers === 'string')
        return { status: null, error: headers, retryAfterMs: null, durationMs: 0 };
      const { url, body } = message;
      const request = { headers, body, targets: privateTargets, timeoutMs, signal, resolve };
      return post({ ...request, url: new URL(url) });
    },
  };
}

/** Returns the headers of the specification, or why the message cannot be signed. */
async function signed(
  { encryptionKey, now = Date.now }: WebhookSenderOptions,
  { bookId, id, body, secrets }: SealedMessage,
): Promise<Record<string, string> | string> {
  if (encryptionKey === null) return noKey;
  const { openCredentials } = await import('../outside/credentials.ts');
  const { default: webhooks } = await import('standardwebhooks');
  const at = new Date(now());
  try {
    const signatures = secrets.map((sealed) => {
      const { secret } = openCredentials(encryptionKey, bookId, 'webhook', sealed);
      return new webhooks.Webhook(secret).sign(id, at, body);
    });
    return {
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': signatures.join(' '),
    };
  } catch (error) {
    return (error as Error).message;
  }
}
