import sql from 'sql-template-tag';
import {
  logBounds,
  positionAfter,
  readPosition,
  refuseGone,
  type FeedPosition,
} from '../history/feed/changes.ts';
import { forgetLease } from '../book/leases.ts';
import { deleteUnlogged, insertUnlogged, updateUnlogged } from '../book/unlogged.ts';
import { context, dialectOf, now, type Steps, type Engine } from '../db/engine.ts';
import { columnList, rowsAs, select, find } from '../db/rows.ts';
import { given, integer } from '../db/table.ts';
import { webhookAttempts, webhooks } from '../db/tables/tables.ts';
import { bodyProblem, Problem, notFound, refusePruned } from '../operations/problem.ts';
import {
  logAttempt,
  sentBy,
  messageOf,
  nextEvent,
  type WebhookKey,
  type WebhookEvent,
} from './deliveries.ts';
import { maxWebhooks, messageId, type Filter } from './rules.ts';
import {
  cursorColumns,
  cursorOf,
  leaseName,
  lockedWebhook,
  webhookOf,
  webhookToWire,
  type AttemptRow,
  type WebhookRow,
} from './stored.ts';
import { databaseId } from '../identity/sessions/actions.ts';
import type { NewSecret, SealedMessage, WebhookSender } from './webhook-sender.ts';
import { noKeyText, type NewWebhook } from './schema.ts';
import { randomUUID } from 'node:crypto';
import { instantOf } from '@coffer/core/dates';

/** A webhook to create. */
export interface NewWebhookRow extends Filter {
  readonly url: string;
  readonly description: string | null;
  readonly sealedSecret: Uint8Array;
  readonly actor: string;
  /** The position of the first change to send; null for the changes from now on. */
  readonly from: FeedPosition | null;
}

/** Returns the webhooks of a book by id. */
export function* listWebhooks(bookId: number): Steps<WebhookRow[]> {
  return yield* select(webhooks, { book_id: bookId });
}

/** Creates a webhook. Throws a Problem if the book has {@link maxWebhooks}, or a position that is not in the log. */
export function* addWebhook(bookId: number, webhook: NewWebhookRow): Steps<WebhookRow> {
  const dialect = yield* dialectOf();
  // No other request can create one meanwhile.
  yield* rowsAs(
    { id: integer },
    sql`SELECT id FROM books WHERE id = ${bookId} ${dialect.lockingRows}`,
  );
  if ((yield* listWebhooks(bookId)).length >= maxWebhooks)
    throw bodyProblem({ errMsg: `A book can have ${maxWebhooks} webhooks` });
  const { url, description, sealedSecret: sealed_secret, actor } = webhook;
  const from = webhook.from ?? positionAfter((yield* logBounds(bookId)).version);
  yield* refuseLost(bookId, from);
  const at = yield* now();
  return yield* insertUnlogged(webhooks, {
    book_id: bookId,
    url,
    description,
    ...filterColumns(webhook),
    sealed_secret,
    database_id: yield* databaseId(),
    ...cursorColumns(from),
    created_by: actor,
    created_at: at,
    updated_at: at,
  });
}

/** Properties of a webhook to change. */
export interface WebhookChanges extends Partial<Filter> {
  readonly url?: string;
  readonly description?: string | null;
  readonly enabled?: boolean;
}

/**
 * Changes properties of a webhook. With a new URL, what failed is tried again at once.
 *
 * Throws a Problem if it does not exist, or if it is enabled although the log no longer has the changes after its
 * position.
 */
export function* updateWebhook(
  bookId: number,
  id: number,
  { enabled, url, description, records, kinds }: WebhookChanges,
): Steps<WebhookRow> {
  const row = yield* lockedOrThrow(bookId, id);
  const isEnabled = row.disabled_reason === null;
  const at = yield* now();
  if (enabled === true) yield* refuseLost(bookId, cursorOf(row));
  yield* updateUnlogged(
    webhooks,
    { book_id: bookId, id },
    {
      ...given({ url, description }),
      ...filterColumns(given({ records, kinds })),
      ...(enabled === true && !isEnabled && (yield* enabledColumns())),
      ...(enabled === false && isEnabled && { disabled_reason: 'request', disabled_at: at }),
      ...(url !== undefined && url !== row.url && freshColumns),
      updated_at: at,
    },
  );
  return yield* webhookOf(bookId, id);
}

const freshColumns = { failures: 0, failing_since_ms: null, next_attempt_ms: 0 } as const;

function* enabledColumns() {
  const database_id = yield* databaseId();
  return { disabled_reason: null, disabled_at: null, database_id, ...freshColumns };
}

/** Deletes a webhook with its log. */
export function* removeWebhook(bookId: number, id: number): Steps<void> {
  yield* lockedOrThrow(bookId, id);
  yield* deleteUnlogged(webhooks, { book_id: bookId, id });
  yield* forgetLease(leaseName(bookId, id));
}

/** Replaces the secret of a webhook. The old one also signs for a time, 0 for none. */
function* rotateSecret(
  bookId: number,
  id: number,
  sealed: Uint8Array,
  keepMs: number,
): Steps<WebhookRow> {
  const { sealed_secret } = yield* lockedOrThrow(bookId, id);
  const { nowMs } = yield* context();
  const isKept = keepMs > 0;
  yield* updateUnlogged(
    webhooks,
    { book_id: bookId, id },
    {
      sealed_secret: sealed,
      sealed_old_secret: isKept ? sealed_secret : null,
      old_secret_until_ms: isKept ? nowMs + keepMs : null,
      updated_at: yield* now(),
    },
  );
  return yield* webhookOf(bookId, id);
}

/** Continues with the changes from a position on, null for those from now on. */
export function* moveCursor(
  bookId: number,
  id: number,
  from: FeedPosition | null,
): Steps<WebhookRow> {
  yield* lockedOrThrow(bookId, id);
  const to = from ?? positionAfter((yield* logBounds(bookId)).version);
  yield* refuseLost(bookId, to);
  const columns = { ...cursorColumns(to), ...freshColumns, updated_at: yield* now() };
  yield* updateUnlogged(webhooks, { book_id: bookId, id }, columns);
  return yield* webhookOf(bookId, id);
}

/** Returns the position that a text means, null for `latest`. Throws a Problem if it is not in the log. */
export function* positionIn(bookId: number, text: string): Steps<FeedPosition | null> {
  const sent = readPosition(text, 'after');
  if (sent === null) return null;
  const place = { databaseId: yield* databaseId(), book: { id: bookId } };
  refuseGone(sent, place, yield* logBounds(bookId));
  return sent.position;
}

/** Returns attempts of a webhook, the latest first. */
export function* listAttempts(
  bookId: number,
  id: number,
  { limit, before = Number.MAX_SAFE_INTEGER }: { readonly limit: number; readonly before?: number },
): Steps<AttemptRow[]> {
  yield* webhookOf(bookId, id);
  return yield* rowsAs(
    webhookAttempts.columns,
    sql`SELECT ${columnList(webhookAttempts)} FROM webhook_attempts
      WHERE book_id = ${bookId} AND webhook_id = ${id} AND number < ${before}
      ORDER BY book_id DESC, webhook_id DESC, number DESC LIMIT ${limit}`,
  );
}

function* lockedOrThrow(bookId: number, id: number): Steps<WebhookRow> {
  return (yield* lockedWebhook(bookId, id)) ?? (yield* webhookOf(bookId, id));
}

/** Throws a Problem if the log no longer has the changes from a position on. */
function* refuseLost(bookId: number, position: FeedPosition): Steps<void> {
  const place = { databaseId: '', book: { id: bookId } };
  refuseGone({ position, of: null }, place, yield* logBounds(bookId));
}

function filterColumns({ records, kinds }: Partial<Filter>) {
  const json = (words: readonly string[] | null | undefined) => words && JSON.stringify(words);
  return given({ records: json(records), kinds: json(kinds) });
}

const hourMs = 3_600_000;

/** A webhook to create. */
export interface WebhookToCreate extends Partial<Filter> {
  readonly bookId: number;
  readonly actor: string;
  readonly url: string;
  readonly description?: string | null;
  /** A position, a version or `latest`, which is the default. */
  readonly after?: string;
}

/**
 * Creates a webhook with a new secret. Throws a Problem if the URL cannot be a target, if there is no key to seal the
 * secret with, if the book has too many, or if the position is not in the log.
 */
export async function createWebhook(
  engine: Engine,
  sender: WebhookSender,
  { bookId, actor, url, after = 'latest', ...webhook }: WebhookToCreate,
): Promise<NewWebhook> {
  refuseUrl(sender, url);
  const { secret, sealed: sealedSecret } = await newSecret(sender, bookId);
  const { description = null, records = null, kinds = null } = webhook;
  const created = await engine.write(function* () {
    const from = yield* positionIn(bookId, after);
    const rest = { sealedSecret, actor, from };
    return yield* shown(addWebhook(bookId, { url, description, records, kinds, ...rest }));
  });
  return { ...created, secret };
}

/** Replaces the secret of a webhook. Throws a Problem as {@link createWebhook} does, or if there is no such webhook. */
export async function rotateWebhook(
  engine: Engine,
  sender: WebhookSender,
  { bookId, id }: WebhookKey,
  keepHours: number,
): Promise<NewWebhook> {
  const { secret, sealed } = await newSecret(sender, bookId);
  const rotated = await engine.write(() =>
    shown(rotateSecret(bookId, id, sealed, keepHours * hourMs)),
  );
  return { ...rotated, secret };
}

/** Returns a webhook as in a response. */
export function* shown(steps: Steps<WebhookRow>): Steps<ReturnType<typeof webhookToWire>> {
  const row = yield* steps;
  const { nowMs } = yield* context();
  return webhookToWire(row, nowMs);
}

/** Throws a Problem for a URL that cannot be a target. */
export function refuseUrl(sender: WebhookSender, url: string): void {
  const problem = sender.urlProblem(url);
  if (problem === null) return;
  const place = { instancePath: '/body/url', invalid_property: 'url' };
  throw bodyProblem({ errMsg: `'${url}' cannot be the url of a webhook: ${problem}`, ...place });
}

async function newSecret(sender: WebhookSender, bookId: number): Promise<NewSecret> {
  const made = await sender.newSecret(bookId);
  if (made !== null) return made;
  throw new Problem('unconfigured', { details: [{ errMsg: noKeyText }] });
}

/** A message to send on request, once. */
interface Once {
  readonly kind: 'ping' | 'redelivery';
  readonly message: SealedMessage;
  readonly event?: WebhookEvent;
}

/** Sends a test message. Returns what happened. Throws a Problem if there is no such webhook. */
export function sendPing(
  engine: Engine,
  sender: WebhookSender,
  key: WebhookKey,
): Promise<AttemptRow> {
  return sendOnce(engine, sender, key, () => pingOf(key));
}

/**
 * Sends the event of an earlier attempt again. Returns what happened. Throws a Problem if there is no such attempt, or
 * if its event is no longer in the change log.
 */
export function sendAgain(
  engine: Engine,
  sender: WebhookSender,
  key: WebhookKey,
  number: number,
): Promise<AttemptRow> {
  return sendOnce(engine, sender, key, () => eventOf(key, number));
}

function* pingOf({ bookId, id }: WebhookKey): Steps<Once> {
  const row = yield* webhookOf(bookId, id);
  const { nowMs } = yield* context();
  const timestamp = instantOf(nowMs);
  const body = JSON.stringify({ type: 'ping', timestamp, data: { book_id: bookId } });
  const message = { ...sentBy(row, nowMs), id: messageId('ping', randomUUID()), body };
  return { kind: 'ping', message };
}

function* eventOf({ bookId, id }: WebhookKey, number: number): Steps<Once> {
  const row = yield* webhookOf(bookId, id);
  const attempt = yield* find(webhookAttempts, { book_id: bookId, webhook_id: id, number });
  if (attempt === undefined) throw notFound('attempt', number);
  const { from_version: version, from_place: place, from_id: at } = attempt;
  if (version === null || place === null || at === null)
    throw bodyProblem({ errMsg: `Attempt ${number} is a ping, not an event` });
  const next = yield* nextEvent(row, { version, place, id: at });
  if (next.is === 'pruned') refusePruned(version, (yield* logBounds(bookId)).prunedVersion);
  if (next.is !== 'event')
    throw bodyProblem({ errMsg: `The webhook no longer selects the changes of attempt ${number}` });
  const { nowMs } = yield* context();
  const message = { ...sentBy(row, nowMs), ...(yield* messageOf(row, next)) };
  return { kind: 'redelivery', message, event: next };
}

async function sendOnce(
  engine: Engine,
  sender: WebhookSender,
  { bookId, id }: WebhookKey,
  once: () => Steps<Once>,
): Promise<AttemptRow> {
  const { message, ...logged } = await engine.read(once);
  const outcome = await sender.send(message, new AbortController().signal);
  return engine.write(function* () {
    const row = yield* lockedOrThrow(bookId, id);
    const { nowMs } = yield* context();
    return yield* logAttempt(row, { ...logged, messageId: message.id, outcome, nowMs });
  });
}
