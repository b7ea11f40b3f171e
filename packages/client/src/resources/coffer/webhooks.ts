import type { CallOptions } from '../../sending/options.ts';
import { listShape, nothing, objectShape, recordShape } from '../resource.ts';
import type { Call, QueryOf, Schema } from '../resource.ts';

/** Where the changes of the book are sent. */
export type Webhook = Schema<'Webhook'>;
/** A webhook with its secret, which is not shown again. */
export type NewWebhook = Schema<'NewWebhook'>;
/** A webhook to create. */
export type WebhookInsert = Schema<'WebhookInsert'>;
/** Properties of a webhook to change. */
export type WebhookUpdate = Schema<'WebhookUpdate'>;
/** An attempt to deliver a message. */
export type WebhookAttempt = Schema<'WebhookAttempt'>;
/** A page of attempts, the latest first. */
export type WebhookAttemptList = Schema<'WebhookAttemptList'>;
/** What to deliver again. */
export type WebhookRedelivery = Schema<'WebhookRedelivery'>;
/** What a redelivery began or did. */
export type WebhookRedelivered = Schema<'WebhookRedelivered'>;
/** Which attempts to list. */
export type AttemptQuery = QueryOf<'getWebhookAttempts'>;

/** Methods of webhooks. All reject with an error of this library, or with the reason of an aborted signal. */
export interface Webhooks {
  /** All webhooks of the book. */
  list(options?: CallOptions): Promise<readonly Webhook[]>;
  /** One webhook. ApiError 404: it does not exist. */
  get(id: number, options?: CallOptions): Promise<Webhook>;
  /**
   * Creates a webhook and resolves to it with its secret. ApiError 400: the URL is not allowed. ApiError 409: the
   * server has no encryption key.
   */
  create(webhook: WebhookInsert, options?: CallOptions): Promise<NewWebhook>;
  /** Changes the given properties. ApiError 410: it cannot continue where it was disabled. */
  update(id: number, changes: WebhookUpdate, options?: CallOptions): Promise<Webhook>;
  /** Deletes a webhook with its log. */
  delete(id: number, options?: CallOptions): Promise<void>;
  /** Replaces the secret; the old one signs too for `keep_hours`, by default 24. */
  rotate(
    id: number,
    rotation?: Partial<Schema<'WebhookRotation'>>,
    options?: CallOptions,
  ): Promise<NewWebhook>;
  /** Sends a test message now, and resolves to what happened. */
  ping(id: number, options?: CallOptions): Promise<WebhookAttempt>;
  /** Delivers events again: from a position on, or one now. ApiError 410: they are no longer in the log. */
  redeliver(
    id: number,
    what: WebhookRedelivery,
    options?: CallOptions,
  ): Promise<WebhookRedelivered>;
  /** Attempts of a webhook, the latest first. */
  attempts(id: number, query?: AttemptQuery, options?: CallOptions): Promise<WebhookAttemptList>;
}

const webhook = recordShape<Webhook>('a webhook');
const created = recordShape<NewWebhook>('a webhook');
const webhooks = listShape<Webhook>('webhooks');
const attempt = objectShape<WebhookAttempt>('an attempt');
const redelivered = objectShape<WebhookRedelivered>('a redelivery');
const attempts = objectShape<WebhookAttemptList>('a list of attempts');

/** The webhooks of a client; `call` is that of Coffer's own API. */
export function makeWebhooks(call: Call): Webhooks {
  const of = (id: number, ...rest: readonly string[]) => ['webhooks', { id }, ...rest];
  return {
    list: (options) => call(webhooks, ['webhooks'], options),
    get: (id, options) => call(webhook, of(id), options),
    create: (body, options) => call(created, ['webhooks'], { ...options, method: 'POST', body }),
    update: (id, body, options) => call(webhook, of(id), { ...options, method: 'PUT', body }),
    delete: (id, options) => call(nothing, of(id), { ...options, method: 'DELETE' }),
    rotate: (id, body = {}, options) =>
      call(created, of(id, 'rotate'), { ...options, method: 'POST', body }),
    ping: (id, options) => call(attempt, of(id, 'ping'), { ...options, method: 'POST' }),
    redeliver: (id, body, options) =>
      call(redelivered, of(id, 'redeliver'), { ...options, method: 'POST', body }),
    attempts: (id, query, options) => call(attempts, of(id, 'attempts'), { ...options, query }),
  };
}
