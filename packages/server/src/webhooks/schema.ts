import { Type, type Static } from 'typebox';
import { shownTables } from '../db/tables/tables.ts';
import { dateTime, id, idPath, nullable, object, reference, word } from '../operations/schema.ts';
import { changeKinds, disabledReasons, keptAttempts, mostKeptSecretHours } from './rules.ts';

/** The kinds of records whose changes can be sent. */
export const recordNames: readonly string[] = shownTables.map(({ name }) => name).toSorted();
const maxDescriptionLength = 200;
const maxUrlLength = 2000;

export const WebhookPath = idPath('webhook');

const url = Type.String({
  format: 'uri',
  minLength: 1,
  maxLength: maxUrlLength,
  description: 'Where events are sent by POST: an https URL, outside private networks.',
});
const description = nullable(
  Type.String({ maxLength: maxDescriptionLength, description: 'A note; null for none.' }),
);
const position = (text: string) =>
  Type.String({
    minLength: 1,
    maxLength: 200,
    description: `${text} See \`GET /coffer/changes\`.`,
  });

function choice<const W extends readonly string[]>(words: W, text: string) {
  const items = { type: 'string', enum: words };
  return Type.Unsafe<W[number][] | null>({
    type: ['array', 'null'],
    items,
    minItems: 1,
    uniqueItems: true,
    description: `${text}; null for all.`,
  });
}
const filters = {
  records: choice(recordNames, 'Kinds of records whose changes are sent'),
  kinds: choice(changeKinds, 'Kinds of changes that are sent'),
};

const after = position(
  'The position after which changes are sent: one of the change feed or of an event, a version, or `latest`.',
);

export const WebhookInsert = object('WebhookInsert', 'A webhook to create.', {
  url,
  description: Type.Optional(description),
  records: Type.Optional(filters.records),
  kinds: Type.Optional(filters.kinds),
  after: Type.Optional(after),
});
export type WebhookInsert = Static<typeof WebhookInsert>;

export const WebhookUpdate = object('WebhookUpdate', 'The properties of a webhook to change.', {
  url: Type.Optional(url),
  description: Type.Optional(description),
  records: Type.Optional(filters.records),
  kinds: Type.Optional(filters.kinds),
  enabled: Type.Optional(
    Type.Boolean({
      description:
        'Whether events are sent. A webhook that is enabled again continues where it was disabled.',
    }),
  ),
});
export type WebhookUpdate = Static<typeof WebhookUpdate>;

const webhook = {
  id: id('Id of the webhook.'),
  url: Type.String({ description: 'Where events are sent.' }),
  description: nullable(Type.String({ description: 'A note.' })),
  ...filters,
  status: word(['enabled', 'failing', 'disabled'], {
    description: '`failing`: the last attempt failed, and is repeated. `disabled`: see `disabled`.',
  }),
  disabled: Type.Union(
    [
      Type.Object(
        {
          reason: word(disabledReasons, {
            description:
              '`request`: by a request or the command. `failing`: no delivery for 24 hours. `gone`: the receiver ' +
              'responded with 410. `pruned`: the change log no longer has the next change. `moved`: the database was ' +
              'restored or moved.',
          }),
          at: dateTime('When it was disabled.'),
          message: Type.String({ description: 'The reason in words.' }),
        },
        { additionalProperties: false },
      ),
      Type.Null(),
    ],
    { description: 'Why it is disabled; null while it is enabled.' },
  ),
  position: Type.String({ description: 'The position up to which events were delivered.' }),
  failures: Type.Integer({ minimum: 0, description: 'Failed attempts since the last delivery.' }),
  next_attempt_at: nullable(dateTime('When the failed attempt is repeated; else null.')),
  delivered_at: nullable(dateTime('When an event was last delivered.')),
  old_secret_until: nullable(
    dateTime('Until when the secret before the last rotation signs too; else null.'),
  ),
  created_by: Type.String({ description: 'Who created it, such as `command` or `token 12`.' }),
  created_at: dateTime('When it was created.'),
  updated_at: dateTime('When its properties last changed.'),
};

export const Webhook = object(
  'Webhook',
  'Where the changes of the book are sent. The changes are signed and in order.',
  webhook,
);
export type Webhook = Static<typeof Webhook>;

export const NewWebhook = object('NewWebhook', 'A webhook with its secret.', {
  ...webhook,
  secret: Type.String({
    description:
      'The secret that signs its messages: `whsec_` and Base64. It is not shown again; a new one can be made.',
  }),
});
export type NewWebhook = Static<typeof NewWebhook>;

export const WebhookList = object('WebhookListResponse', 'All webhooks of the book.', {
  webhooks: Type.Array(reference<Webhook>('Webhook'), { description: 'By id.' }),
});

export const WebhookRotation = object('WebhookRotation', 'How to replace a secret.', {
  keep_hours: Type.Integer({
    minimum: 0,
    maximum: mostKeptSecretHours,
    default: 24,
    description:
      'How long the old secret signs too, so that the receiver can be changed meanwhile.',
  }),
});

export const WebhookAttempt = object('WebhookAttempt', 'An attempt to deliver a message.', {
  number: Type.Integer({ minimum: 1, description: 'Its number among those of the webhook.' }),
  kind: word(['event', 'redelivery', 'ping'], {
    description: '`redelivery` and `ping`: on request, once.',
  }),
  message_id: Type.String({
    description: 'The `webhook-id` of the message, the same for each attempt to deliver it.',
  }),
  at: dateTime('When the attempt ended.'),
  duration_ms: Type.Integer({ minimum: 0, description: 'How long it took.' }),
  delivered: Type.Boolean({ description: 'Whether the receiver responded with 200 to 299.' }),
  status: nullable(Type.Integer({ description: 'Status of the response; null without one.' })),
  error: nullable(Type.String({ description: 'What failed, in words.' })),
  changes: Type.Integer({ minimum: 0, description: 'Number of changes in the message.' }),
});
export type WebhookAttempt = Static<typeof WebhookAttempt>;

export const AttemptQuery = Type.Object(
  {
    limit: Type.Integer({
      minimum: 1,
      maximum: keptAttempts,
      default: 20,
      description: 'Most attempts in the response.',
    }),
    before: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'Only attempts with a lower number.',
      }),
    ),
  },
  { additionalProperties: false },
);

export const WebhookAttemptList = object(
  'WebhookAttemptList',
  `Attempts of a webhook, the latest first. The last ${keptAttempts} of each webhook are kept.`,
  {
    attempts: Type.Array(reference<WebhookAttempt>('WebhookAttempt')),
    has_more: Type.Boolean({ description: 'Whether there are older ones.' }),
  },
);

export const WebhookRedelivery = object(
  'WebhookRedelivery',
  'What to deliver again: exactly one of the two.',
  {
    after: Type.Optional(after),
    attempt: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'The number of an attempt, whose event is sent once more, now.',
      }),
    ),
  },
);

export const WebhookRedelivered = object('WebhookRedelivered', 'What was begun or done.', {
  webhook: reference<Webhook>('Webhook'),
  attempt: Type.Union([reference<WebhookAttempt>('WebhookAttempt'), Type.Null()], {
    description: 'What happened to the event; null if events are sent from a position on.',
  }),
});
