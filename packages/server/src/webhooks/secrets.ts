import type { NewSecret, WebhookSender } from './webhook-sender.ts';
import { context } from '../db/engine.ts';
import type { Engine, Steps } from '../db/engine.ts';
import { bodyProblem, Problem } from '../operations/problem.ts';
import { addWebhook, positionIn, rotateSecret } from './actions.ts';
import type { WebhookKey } from './deliveries.ts';
import { noKeyText } from './schema.ts';
import type { Filter } from './rules.ts';
import type { NewWebhook } from './schema.ts';
import type { WebhookRow } from './stored.ts';
import { webhookToWire } from './wire.ts';

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
