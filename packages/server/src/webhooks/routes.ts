import type { WebhookSender } from './webhook-sender.ts';
import { context } from '../db/engine.ts';
import { given } from '../db/table.ts';
import { bodyProblem } from '../operations/problem.ts';
import { changed, created, noContent, ok, refusedWithErrors } from '../operations/responses.ts';
import { causeOf, outside, read, type Operation } from '../operations/operation.ts';
import {
  sendAgain,
  sendPing,
  createWebhook,
  refuseUrl,
  rotateWebhook,
  shown,
  listAttempts,
  listWebhooks,
  moveCursor,
  positionIn,
  removeWebhook,
  updateWebhook,
} from './actions.ts';
import { webhookExamples as examples } from './schema.ts';
import * as schema from './schema.ts';
import { attemptToWire, webhookToWire, webhookOf } from './stored.ts';

const tag = 'webhooks';
const all = { path: '/coffer/webhooks', tag } as const;
const one = { path: '/coffer/webhooks/{id}', tag, params: schema.WebhookPath } as const;

/** As the shared response, with one more reason. */
const noKey = {
  ...refusedWithErrors(
    409,
    'The server has no `ENCRYPTION_KEY`. Or an equal request with the same `Idempotency-Key` has succeeded or is still ' +
      'under way; then there is a `Retry-After` header.',
    examples.noKey,
  ),
  optionalHeaders: ['Retry-After'] as const,
};

const gone = refusedWithErrors(
  410,
  'The changes after the position do not exist: they were pruned, or the position is of another book or database. ' +
    '`oldest_version` of the error is the oldest version to begin after.',
  examples.gone,
);

const createDeclaration = {
  ...all,
  id: 'createWebhook',
  summary: 'Create a webhook',
  description:
    'Changes of the book are sent to its URL by POST, signed by the Standard Webhooks specification, in order and at ' +
    'least once. The secret is shown only in this response. A book can have 20 webhooks.',
  body: schema.WebhookInsert,
  bodyExamples: examples.insert,
  isSecret: true,
  response: created(schema.NewWebhook, 'The new webhook with its secret.'),
  refusals: { 409: noKey, 410: gone },
} as const;

/** Returns the operations of webhooks. */
export function webhookRoutes({
  webhookSender: sender,
}: {
  readonly webhookSender: WebhookSender;
}): readonly Operation[] {
  return [...managementRoutes(sender), ...secretRoutes(sender), ...deliveryRoutes(sender)];
}

const managementRoutes = (sender: WebhookSender): readonly Operation[] => [
  read(
    {
      ...all,
      id: 'getAllWebhooks',
      summary: 'List webhooks',
      response: ok(schema.WebhookList, 'The webhooks.'),
    },
    function* ({ bookId }) {
      const { nowMs } = yield* context();
      const rows = yield* listWebhooks(bookId);
      return { webhooks: rows.map((row) => webhookToWire(row, nowMs)) };
    },
    { isVolatile: true },
  ),
  outside('POST', createDeclaration, async (request, engine) => {
    const { bookId, actor } = causeOf(createDeclaration, request);
    return createWebhook(engine, sender, {
      bookId,
      actor,
      ...given(request.body),
      url: request.body.url,
    });
  }),
  read(
    {
      ...one,
      id: 'getWebhookById',
      summary: 'Get a webhook',
      response: ok(schema.Webhook, 'The webhook.'),
    },
    ({ bookId, params }) => shown(webhookOf(bookId, params.id)),
    { isVolatile: true },
  ),
  outside(
    'PUT',
    {
      ...one,
      id: 'updateWebhook',
      summary: 'Update a webhook',
      description:
        'Changes the given properties. To disable and enable it, set `enabled`: it continues where it was disabled.',
      body: schema.WebhookUpdate,
      bodyExamples: examples.update,
      response: changed(schema.Webhook, 'The changed webhook.'),
      refusals: { 410: gone },
    },
    async ({ bookId, params, body }, engine) => {
      if (body.url !== undefined) refuseUrl(sender, body.url);
      return engine.write(() => shown(updateWebhook(bookId, params.id, given(body))));
    },
  ),
  outside(
    'DELETE',
    {
      ...one,
      id: 'deleteWebhook',
      summary: 'Delete a webhook',
      description: 'Deletes it with its log. Events that were not delivered are not sent.',
      response: noContent('The webhook is deleted.'),
    },
    ({ bookId, params }, engine) => engine.write(() => removeWebhook(bookId, params.id)),
  ),
];

const secretRoutes = (sender: WebhookSender): readonly Operation[] => [
  outside(
    'POST',
    {
      ...one,
      path: '/coffer/webhooks/{id}/rotate',
      id: 'rotateWebhookSecret',
      summary: 'Replace the secret of a webhook',
      description:
        'The new secret is shown only in this response. Messages have the signatures of both secrets for a time.',
      body: schema.WebhookRotation,
      isBodyOptional: true,
      isSecret: true,
      response: changed(schema.NewWebhook, 'The webhook with its new secret.'),
      refusals: { 409: noKey },
    },
    ({ bookId, params: { id }, body }, engine) =>
      rotateWebhook(engine, sender, { bookId, id }, body.keep_hours),
  ),
  outside(
    'POST',
    {
      ...one,
      path: '/coffer/webhooks/{id}/ping',
      id: 'pingWebhook',
      summary: 'Test a webhook',
      description: 'Sends a message of the type `ping` now, once, also if it is disabled.',
      response: changed(schema.WebhookAttempt, 'What happened.'),
    },
    async ({ bookId, params: { id } }, engine) =>
      attemptToWire(await sendPing(engine, sender, { bookId, id })),
  ),
];

const deliveryRoutes = (sender: WebhookSender): readonly Operation[] => [
  outside(
    'POST',
    {
      ...one,
      path: '/coffer/webhooks/{id}/redeliver',
      id: 'redeliverWebhook',
      summary: 'Deliver events again',
      description:
        'With `after`, all events after a position are sent in order, as soon as the webhook is enabled. With `attempt`, ' +
        'the event of one attempt is sent now, once. Messages have the same `webhook-id` as before.',
      body: schema.WebhookRedelivery,
      bodyExamples: examples.redeliver,
      response: changed(schema.WebhookRedelivered, 'What was begun or done.'),
      refusals: { 410: gone },
    },
    async (request, engine) => {
      const { bookId, params, body } = request;
      const { after, attempt: number } = body;
      if ((after === undefined) === (number === undefined))
        throw bodyProblem({ errMsg: 'Either after or attempt is required' });
      const key = { bookId, id: params.id };
      const attempt =
        number === undefined ? null : attemptToWire(await sendAgain(engine, sender, key, number));
      const webhook = await engine.write(function* () {
        if (after === undefined) return yield* shown(webhookOf(bookId, key.id));
        const from = yield* positionIn(bookId, after);
        return yield* shown(moveCursor(bookId, key.id, from));
      });
      return { webhook, attempt };
    },
  ),
  read(
    {
      ...one,
      path: '/coffer/webhooks/{id}/attempts',
      id: 'getWebhookAttempts',
      summary: 'List attempts of a webhook',
      query: schema.AttemptQuery,
      response: ok(schema.WebhookAttemptList, 'The attempts.'),
    },
    function* ({ bookId, params, query: { limit, before } }) {
      const range = { limit: limit + 1, ...given({ before }) };
      const rows = yield* listAttempts(bookId, params.id, range);
      const attempts = rows.slice(0, limit).map(attemptToWire);
      return { attempts, has_more: rows.length > limit };
    },
    { isVolatile: true },
  ),
];
