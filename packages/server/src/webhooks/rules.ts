import { hash } from 'node:crypto';

/** What happens to records. */
export const changeKinds = ['made', 'changed', 'removed'] as const;
type ChangeKind = (typeof changeKinds)[number];

/** Most webhooks of a book. */
export const maxWebhooks = 20;
/** Most changes in one event. */
export const maxEventChanges = 100;
/** Attempts of each webhook in the log. */
export const keptAttempts = 100;
/** Hours for which an old secret can go on signing. */
export const mostKeptSecretHours = 168;
const secondMs = 1000;
const hourMs = 3_600_000;

/** When a delivery is repeated, and when the webhook is disabled instead. */
export interface RetryTiming {
  /** The longest delay after the first failure; it doubles with each further one. */
  readonly firstMs: number;
  readonly mostMs: number;
  /** A Retry-After above this counts as this. */
  readonly mostRetryAfterMs: number;
  readonly giveUpMs: number;
}

export const retryTiming: RetryTiming = {
  firstMs: 10 * secondMs,
  mostMs: hourMs,
  mostRetryAfterMs: 6 * hourMs,
  giveUpMs: 24 * hourMs,
};

/**
 * Why a webhook is disabled. `request`: by a request or the command. `failing`: no delivery for 24 hours. `gone`: the
 * receiver responded with 410. `pruned`: the change log no longer has the next change. `moved`: this is a copy of the
 * database.
 */
export const disabledReasons = ['request', 'failing', 'gone', 'pruned', 'moved'] as const;
export type DisabledReason = (typeof disabledReasons)[number];

/** What this node delivered since it started, for monitoring. */
export interface WebhookCounts {
  delivered: number;
  failed: number;
  readonly disabled: Record<DisabledReason, number>;
}

/** Returns counts of nothing. */
export function noWebhookCounts(): WebhookCounts {
  const disabled = { request: 0, failing: 0, gone: 0, pruned: 0, moved: 0 };
  return { delivered: 0, failed: 0, disabled };
}

/** What users read about a disabled webhook. */
export const notices: Readonly<Record<DisabledReason, string>> = {
  request: 'It was disabled on request',
  failing: 'No delivery succeeded for 24 hours',
  gone: 'The receiver responded with 410 Gone',
  pruned: 'The change log no longer has the changes that were not delivered',
  moved: 'The database was restored from a backup or moved',
};

/** What happened to one attempt to deliver. */
export interface Outcome {
  /** Null if there was no response. */
  readonly status: number | null;
  /** A sentence without a period; null for a delivery. */
  readonly error: string | null;
  /** From the receiver's Retry-After; null if there was none. */
  readonly retryAfterMs: number | null;
  readonly durationMs: number;
}

/** Whether the receiver accepted the message: any status from 200 to 299. */
export function isDelivered({ status }: Pick<Outcome, 'status'>): boolean {
  return status !== null && status >= 200 && status < 300;
}

/**
 * Returns the delay before the next attempt: exponential with full jitter, so that receivers that were down are not
 * called by all webhooks at once. `failures` counts the failed attempts, at least 1; `random` is from 0 to below 1.
 */
export function retryDelayMs(
  { firstMs, mostMs, mostRetryAfterMs }: RetryTiming,
  failures: number,
  retryAfterMs: number | null,
  random: number,
): number {
  const longestMs = Math.min(mostMs, firstMs * 2 ** Math.min(failures - 1, 30));
  const jitterMs = Math.floor(random * longestMs);
  return Math.max(jitterMs, Math.min(retryAfterMs ?? 0, mostRetryAfterMs));
}

/** Which changes a webhook is for; null for all. */
export interface Filter {
  readonly records: readonly string[] | null;
  readonly kinds: readonly ChangeKind[] | null;
}

/** Whether a filter selects a change. */
export function selects(
  { records, kinds }: Filter,
  { record, kind }: { readonly record: string; readonly kind: ChangeKind },
): boolean {
  return (records?.includes(record) ?? true) && (kinds?.includes(kind) ?? true);
}

/**
 * Returns the id of a message, the same for each attempt to deliver it. Events with other changes have another id, also
 * after the filter was changed or an earlier position was chosen.
 */
export function messageId(...parts: readonly unknown[]): string {
  return `msg_${hash('sha256', JSON.stringify(parts), 'base64url').slice(0, 32)}`;
}
