import { clockSkewMs, hasToWait, instantOf } from '@coffer/core/dates';
import sql, { raw } from 'sql-template-tag';
import { holdsLease, mostLeaseMs, takeLease, type Lease } from '../book/leases.ts';
import { deleteUnlogged, insertUnlogged, updateUnlogged } from '../book/unlogged.ts';
import { dialectOf, type Steps } from '../db/engine.ts';
import { find, rowsAs } from '../db/rows.ts';
import { integer, nullable, text } from '../db/table.ts';
import { webhookAttempts, webhooks, manualAccounts, plaidAccounts } from '../db/tables/tables.ts';
import {
  isDelivered,
  keptAttempts,
  retryDelayMs,
  retryTiming,
  maxEventChanges,
  messageId,
  selects,
  type DisabledReason,
  type Outcome,
  type RetryTiming,
} from './rules.ts';
import {
  cursorColumns,
  leaseName,
  lockedWebhook,
  secretsOf,
  cursorOf,
  filterOf,
  type AttemptRow,
  type WebhookRow,
} from './stored.ts';
import {
  positionAfter,
  PrunedPositionError,
  readChanges,
  type FeedChange,
  type FeedPage,
  type FeedPosition,
  changeText,
  positionText,
} from '../history/feed/changes.ts';
import { databaseId } from '../identity/sessions/actions.ts';
import type { SealedMessage } from './webhook-sender.ts';
import { presentValues } from '../history/records.ts';
import { proofOf, withBalance } from '../ledger/accounts/account-proof.ts';
import { summaryOf, type ProofSummary } from '../ledger/accounts/proof.ts';

/** A webhook of a book. */
export interface WebhookKey {
  readonly bookId: number;
  readonly id: number;
}

/** A message with the event that it has. */
export interface EventMessage {
  readonly event: WebhookEvent;
  readonly message: SealedMessage;
}

/**
 * Returns webhooks that may have something to deliver now: enabled ones behind their book, those that were served last
 * come last. Those that another node serves are left out.
 */
export function* dueWebhooks(nowMs: number, holder: string, limit: number): Steps<WebhookKey[]> {
  const dialect = yield* dialectOf();
  const found = yield* rowsAs(
    { book_id: integer, id: integer },
    sql`SELECT w.book_id, w.id FROM webhooks w JOIN books b ON b.id = w.book_id
      WHERE w.disabled_reason IS NULL AND w.cursor_version <= b.version
        AND NOT (w.failures > 0 AND w.next_attempt_ms > ${nowMs} AND w.next_attempt_ms <= ${nowMs + longestRestMs})
        AND NOT EXISTS (SELECT 1 FROM leases l WHERE l.name = 'webhook ' || w.book_id || '/' || w.id
          AND l.holder <> ${holder} AND l.expires_at_ms > ${dialect.databaseNowMs}
          AND l.expires_at_ms <= ${dialect.databaseNowMs} + ${mostLeaseMs + clockSkewMs})
      ORDER BY w.next_attempt_ms, w.book_id, w.id LIMIT ${limit}`,
  );
  return found.map(({ book_id: bookId, id }) => ({ bookId, id }));
}

/** The longest time between two attempts. A longer one was stored before the clock went back. */
const longestRestMs = retryTiming.mostRetryAfterMs + clockSkewMs;

/** As the condition of {@link dueWebhooks}. */
function isResting({ failures, next_attempt_ms }: WebhookRow, nowMs: number): boolean {
  return failures > 0 && hasToWait(next_attempt_ms, nowMs, retryTiming.mostRetryAfterMs);
}

/** Takes the lease for the deliveries of a webhook; null while another node has it. */
export function* takeWebhook(
  { bookId, id }: WebhookKey,
  holder: string,
  durationMs: number,
): Steps<Lease | null> {
  return yield* takeLease(leaseName(bookId, id), holder, durationMs);
}

/** What to do next for a webhook. Run it on one snapshot. */
export type NextStep =
  | ({ readonly is: 'send' } & EventMessage)
  | { readonly is: 'advance'; readonly from: WebhookRow; readonly to: WebhookEvent['to'] }
  | { readonly is: 'disable'; readonly reason: DisabledReason }
  | { readonly is: 'rest' };

/** Returns what to do next for a webhook. */
export function* nextStep({ bookId, id }: WebhookKey, nowMs: number): Steps<NextStep> {
  const row = yield* find(webhooks, { book_id: bookId, id });
  if (row?.disabled_reason !== null || isResting(row, nowMs)) return { is: 'rest' };
  if (row.database_id !== (yield* databaseId())) return { is: 'disable', reason: 'moved' };
  const next = yield* nextEvent(row);
  if (next.is === 'pruned') return { is: 'disable', reason: 'pruned' };
  if (next.is === 'event') {
    const message = { ...sentBy(row, nowMs), ...(yield* messageOf(row, next)) };
    return { is: 'send', event: next, message };
  }
  return isAt(row, next.to) ? { is: 'rest' } : { is: 'advance', from: row, to: next.to };
}

/** Returns where the messages of a webhook go, and the secrets that sign them. */
export function sentBy(row: WebhookRow, nowMs: number): Omit<SealedMessage, 'id' | 'body'> {
  return { bookId: row.book_id, url: row.url, secrets: secretsOf(row, nowMs) };
}

/** Moves the cursor past changes that are not for the webhook, unless it was moved meanwhile. */
export function* advance(
  { book_id, id, cursor_version, cursor_place, cursor_id }: WebhookRow,
  to: WebhookEvent['to'],
): Steps<void> {
  const where = { book_id, id, cursor_version, cursor_place, cursor_id };
  yield* updateUnlogged(webhooks, where, cursorColumns(to));
}

/** Disables a webhook. Returns whether it was enabled. */
export function* disable(
  { bookId, id }: WebhookKey,
  reason: DisabledReason,
  at: string,
): Steps<boolean> {
  const row = yield* lockedWebhook(bookId, id);
  if (row?.disabled_reason !== null) return false;
  const columns = { disabled_reason: reason, disabled_at: at };
  yield* updateUnlogged(webhooks, { book_id: bookId, id }, columns);
  return true;
}

/** What became of a webhook after an attempt: `lost` if another node has taken over, or if it no longer exists. */
export type AttemptResult = 'delivered' | 'failed' | 'lost' | DisabledReason;

/** An attempt to deliver an event, and what its consequences depend on. */
export interface FinishedAttempt extends EventMessage {
  readonly key: WebhookKey;
  readonly lease: Lease;
  readonly leaseMs: number;
  readonly outcome: Outcome;
  readonly nowMs: number;
  readonly timing: RetryTiming;
  /** From 0 to below 1. */
  readonly random: number;
}

/**
 * Logs an attempt. After a delivery it moves the cursor past the event; after a failure it sets the time of the next
 * attempt, or disables the webhook. Returns what became of it, and the renewed lease.
 */
export function* finishAttempt(
  attempt: FinishedAttempt,
): Steps<{ readonly result: AttemptResult; readonly lease: Lease }> {
  const { key, lease, leaseMs, event, message, outcome, nowMs } = attempt;
  const isHeld = yield* holdsLease(lease);
  const row = yield* lockedWebhook(key.bookId, key.id);
  if (!isHeld || row === undefined) return { result: 'lost', lease };
  const logged = { messageId: message.id, outcome, nowMs, event };
  yield* logAttempt(row, { kind: 'event', ...logged });
  const result = isDelivered(outcome)
    ? yield* recordDelivery(row, attempt)
    : yield* recordFailure(row, attempt);
  const renewed = yield* takeLease(lease.name, lease.holder, leaseMs);
  return { result, lease: renewed ?? lease };
}

function* recordDelivery(row: WebhookRow, { event, nowMs }: FinishedAttempt): Steps<AttemptResult> {
  const { book_id, id } = row;
  yield* updateUnlogged(
    webhooks,
    { book_id, id },
    {
      ...(isAt(row, event.from) && cursorColumns(event.to)),
      failures: 0,
      failing_since_ms: null,
      next_attempt_ms: nowMs,
      delivered_at: instantOf(nowMs),
    },
  );
  return 'delivered';
}

function* recordFailure(row: WebhookRow, attempt: FinishedAttempt): Steps<AttemptResult> {
  const { book_id, id } = row;
  // It was disabled during the attempt.
  if (row.disabled_reason !== null) return 'failed';
  const columns = afterFailure(row, attempt);
  yield* updateUnlogged(webhooks, { book_id, id }, columns);
  return columns.disabled_reason ?? 'failed';
}

/** Whether the cursor is at a position. */
function isAt(row: WebhookRow, { version, place, id }: FeedPosition): boolean {
  return row.cursor_version === version && row.cursor_place === place && row.cursor_id === id;
}

function afterFailure(row: WebhookRow, { outcome, nowMs, timing, random }: FinishedAttempt) {
  // It is in the future if the clock went back.
  const failing_since_ms = Math.min(row.failing_since_ms ?? nowMs, nowMs);
  const failures = row.failures + 1;
  const lastMs = failing_since_ms + timing.giveUpMs;
  const delayMs = retryDelayMs(timing, failures, outcome.retryAfterMs, random);
  const reason: DisabledReason | null =
    outcome.status === 410 ? 'gone' : nowMs >= lastMs ? 'failing' : null;
  return {
    failures,
    failing_since_ms,
    // The last attempt is at the end of the time.
    next_attempt_ms: Math.min(nowMs + delayMs, lastMs),
    disabled_reason: reason,
    disabled_at: reason === null ? null : instantOf(nowMs),
  };
}

/** An attempt to log. */
export interface LoggedAttempt {
  readonly kind: AttemptRow['kind'];
  readonly messageId: string;
  readonly outcome: Outcome;
  readonly nowMs: number;
  /** Absent for a ping. */
  readonly event?: Omit<WebhookEvent, 'is'>;
}

/** Adds an attempt to the log of a locked webhook, and deletes one that is too old. */
export function* logAttempt(
  { book_id, id: webhook_id, attempts }: WebhookRow,
  { kind, messageId, outcome, nowMs, event }: LoggedAttempt,
): Steps<AttemptRow> {
  const number = attempts + 1;
  const { version = null, place = null, id = null } = event?.from ?? {};
  yield* updateUnlogged(webhooks, { book_id, id: webhook_id }, { attempts: number });
  yield* deleteUnlogged(webhookAttempts, { book_id, webhook_id, number: number - keptAttempts });
  return yield* insertUnlogged(webhookAttempts, {
    book_id,
    webhook_id,
    number,
    kind,
    message_id: messageId,
    at: instantOf(nowMs),
    duration_ms: outcome.durationMs,
    status: outcome.status,
    error: outcome.error,
    changes: event?.changes.length ?? 0,
    from_version: version,
    from_place: place,
    from_id: id,
  });
}

/** Changes of one version, to be sent in one message. */
export interface WebhookEvent {
  readonly is: 'event';
  /** The first change that it may have. */
  readonly from: FeedPosition;
  /** The first change after it. */
  readonly to: FeedPosition;
  readonly changes: readonly FeedChange[];
}

/** What is next for a webhook: an event, or nothing up to a position, or changes that the log no longer has. */
type NextEvent =
  WebhookEvent | { readonly is: 'nothing'; readonly to: FeedPosition } | { readonly is: 'pruned' };

/** Changes that are read at once while none is selected. */
const scannedChanges = 1000;
/** How often they are read on one snapshot. */
const mostScans = 20;

/** Returns the next event of a webhook from a position on; by default that of its cursor. */
export function* nextEvent(webhook: WebhookRow, at = cursorOf(webhook)): Steps<NextEvent> {
  const filter = filterOf(webhook);
  const isFiltered = filter.records !== null || filter.kinds !== null;
  // One more shows whether the version ends with the event.
  const limit = isFiltered ? scannedChanges : maxEventChanges + 1;
  const record = filter.records?.length === 1 ? filter.records[0] : undefined;
  let from = at;
  for (let scan = 0; scan < mostScans; scan += 1) {
    let page: FeedPage;
    try {
      page = yield* readChanges(webhook.book_id, from, limit, record);
    } catch (error) {
      if (error instanceof PrunedPositionError) return { is: 'pruned' };
      throw error;
    }
    const selected = page.changes.filter((change) => selects(filter, change));
    const inVersion = selected.filter(({ version }) => version === selected[0]!.version);
    const changes = inVersion.slice(0, maxEventChanges);
    const last = changes.at(-1);
    if (last !== undefined) {
      const isWhole = page.isEnd || page.changes.at(-1)!.version > last.version;
      const hasAll = isWhole && changes.length === inVersion.length;
      return {
        is: 'event',
        from: at,
        to: hasAll ? positionAfter(last.version) : last.next,
        changes,
      };
    }
    from = page.position;
    if (page.isEnd) break;
  }
  return { is: 'nothing', to: from };
}

/** Returns the id and the body of the message of an event. Values are those at this moment: run it on one snapshot. */
export function* messageOf(
  { id, book_id, database_id, records, kinds }: WebhookRow,
  { to, changes }: Pick<WebhookEvent, 'to' | 'changes'>,
): Steps<{ readonly id: string; readonly body: string }> {
  // The same for each attempt, whatever was committed meanwhile.
  const [first, last] = [changes[0]!.next, changes.at(-1)!.next];
  const values = yield* presentValues(book_id, changes);
  const proofs = yield* proofsOf(book_id, changes);
  const list = changes.map((change, at) => changeText(change, values[at] ?? null)).join(',');
  const head = {
    book_id,
    position: positionText({ databaseId: database_id, book: { id: book_id } }, to),
    ...(proofs.length > 0 && { proofs }),
  };
  const type = JSON.stringify('book.changed');
  const data = `${JSON.stringify(head).slice(0, -1)},"changes":[${list}]}`;
  const timestamp = JSON.stringify(changes[0]!.at);
  return {
    id: messageId(database_id, book_id, id, first, last, records, kinds),
    body: `{"type":${type},"timestamp":${timestamp},"data":${data}}`,
  };
}

/** Most accounts in one message. */
const mostProofs = 20;

/** Whether the balances of an account follow from its transactions: see `GET /coffer/accounts/{id}/proof`. */
export interface AccountState extends ProofSummary {
  readonly kind: 'manual' | 'plaid';
  readonly id: number;
}

/**
 * Returns the present state of the proofs of accounts whose transactions or known balances are among changes of one
 * version, also of those that these have left. Accounts of which no two balances are known are left out.
 */
function* proofsOf(bookId: number, changes: readonly FeedChange[]): Steps<AccountState[]> {
  const keys = new Set<string>();
  for (const record of ['transactions', 'balance_anchors'] as const) {
    const ids = changes.filter((each) => each.record === record).map(({ id }) => id);
    if (ids.length === 0) continue;
    const at = { bookId, version: changes[0]!.version, record, ids };
    for (const key of yield* ownersOf(at)) keys.add(key);
  }
  const states: AccountState[] = [];
  for (const key of [...keys].toSorted().slice(0, mostProofs)) {
    const state = yield* stateOf(bookId, key);
    if (state !== null && state.state !== 'unknown') states.push(state);
  }
  return states;
}

interface Changed {
  readonly bookId: number;
  readonly version: number;
  readonly record: 'transactions' | 'balance_anchors';
  readonly ids: readonly number[];
}

/** The accounts that records have, and those that they had before the version, such as `manual 3`. */
function* ownersOf({ bookId, version, record, ids }: Changed): Steps<string[]> {
  const { isAmong } = yield* dialectOf();
  const present = yield* rowsAs(
    { manual_account_id: nullable(integer), plaid_account_id: nullable(integer) },
    sql`SELECT DISTINCT manual_account_id, plaid_account_id FROM ${raw(record)}
      WHERE book_id = ${bookId} AND ${isAmong(sql`id`, ids)}`,
  );
  const lines = yield* rowsAs(
    { diff: text },
    sql`SELECT diff FROM changed_records
      WHERE book_id = ${bookId} AND version = ${version} AND record = ${record}
        AND ${isAmong(sql`first_id`, ids)}
        AND (kind = 'removed' OR kind = 'changed' AND diff LIKE '%account_id":[%')`,
  );
  const former = lines.map(({ diff }) => JSON.parse(diff) as Record<string, unknown>);
  return [...present, ...former].flatMap((values) =>
    (['manual', 'plaid'] as const).flatMap((kind) => {
      // Of what has changed, the log has the values before and after.
      const [id] = [values[`${kind}_account_id`]].flat();
      return typeof id === 'number' ? [`${kind} ${id}`] : [];
    }),
  );
}

function* stateOf(bookId: number, key: string): Steps<AccountState | null> {
  const [kind, id] = key.split(' ') as [AccountState['kind'], string];
  const where = { book_id: bookId, id: Number(id) };
  const row =
    kind === 'manual' ? yield* find(manualAccounts, where) : yield* find(plaidAccounts, where);
  if (row === undefined) return null;
  const { stretches } = yield* proofOf(withBalance(kind, row));
  return { kind, id: row.id, ...summaryOf(stretches) };
}
