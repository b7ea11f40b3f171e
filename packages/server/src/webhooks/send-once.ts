import { randomUUID } from 'node:crypto';
import { instantOf } from '@coffer/core/dates';
import type { WebhookSender } from './webhook-sender.ts';
import { context } from '../db/engine.ts';
import type { Engine, Steps } from '../db/engine.ts';
import { find } from '../db/rows.ts';
import { webhookAttempts } from '../db/tables/tables.ts';
import { bodyProblem, notFound, refusePruned } from '../operations/problem.ts';
import { logBounds } from '../history/feed/changes.ts';
import { logAttempt, sentBy, messageOf, nextEvent } from './deliveries.ts';
import type { AttemptRow, Message, WebhookKey, WebhookEvent } from './deliveries.ts';
import { messageId } from './rules.ts';
import { lockedWebhook, webhookOf } from './stored.ts';

/** A message to send on request, once. */
interface Once {
  readonly kind: 'ping' | 'redelivery';
  readonly message: Message;
  readonly event?: WebhookEvent;
}

/** Sends a test message. Returns what happened. Throws a Problem if there is no such webhook. */
export async function sendPing(
  engine: Engine,
  sender: WebhookSender,
  key: WebhookKey,
): Promise<AttemptRow> {
  const once = await engine.read(() => pingOf(key));
  return sendOnce(engine, sender, key, once);
}

/**
 * Sends the event of an earlier attempt again. Returns what happened. Throws a Problem if there is no such attempt, or
 * if its event is no longer in the change log.
 */
export async function sendAgain(
  engine: Engine,
  sender: WebhookSender,
  key: WebhookKey,
  number: number,
): Promise<AttemptRow> {
  const once = await engine.read(() => eventOf(key, number));
  return sendOnce(engine, sender, key, once);
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
  { kind, message, event }: Once,
): Promise<AttemptRow> {
  const outcome = await sender.send(message, new AbortController().signal);
  return engine.write(function* () {
    const row = (yield* lockedWebhook(bookId, id)) ?? (yield* webhookOf(bookId, id));
    const { nowMs } = yield* context();
    const sent = event === undefined ? {} : { event };
    return yield* logAttempt(row, { kind, messageId: message.id, outcome, nowMs, ...sent });
  });
}
