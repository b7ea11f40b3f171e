import { randomBytes } from 'node:crypto';
import type { Outcome } from './rules.ts';
import { post } from './post.ts';
import { urlProblem } from './target.ts';
import type { PrivateTargets, Resolve } from '../outside/guarded-request.ts';

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
      const { sealCredentials } = await import('../outside/sealed-credentials.ts');
      const secret = `whsec_${randomBytes(secretBytes).toString('base64')}`;
      const sealed = sealCredentials(encryptionKey, bookId, { provider: 'webhook', secret });
      return { secret, sealed };
    },
    async send(message, signal) {
      const headers = await signed(options, message);
      if (typeof headers === 'string') return unsent(headers);
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
  const { openCredentials } = await import('../outside/sealed-credentials.ts');
  const { Webhook } = await import('standardwebhooks');
  const at = new Date(now());
  try {
    const signatures = secrets.map((sealed) => {
      const { secret } = openCredentials(encryptionKey, bookId, 'webhook', sealed);
      return new Webhook(secret).sign(id, at, body);
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

function unsent(error: string): Outcome {
  return { status: null, error, retryAfterMs: null, durationMs: 0 };
}
