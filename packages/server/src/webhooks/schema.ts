import { Type, type Static } from 'typebox';
import { shownTables } from '../db/tables/tables.ts';
import {
  closed,
  count,
  dateTime,
  exampleOf,
  flag,
  id,
  idPath,
  limit,
  listOf,
  nullable,
  object,
  only,
  optional,
  orNull,
  reference,
  text,
  textUpTo,
  word,
} from '../operations/schema.ts';
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
const position = (text: string) => textUpTo(200, `${text} See \`GET /coffer/changes\`.`);

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
  description: optional(description),
  records: optional(filters.records),
  kinds: optional(filters.kinds),
  after: optional(after),
});
export type WebhookInsert = Static<typeof WebhookInsert>;

export const WebhookUpdate = object('WebhookUpdate', 'The properties of a webhook to change.', {
  url: optional(url),
  description: optional(description),
  records: optional(filters.records),
  kinds: optional(filters.kinds),
  enabled: optional(
    flag(
      'Whether events are sent. A webhook that is enabled again continues where it was disabled.',
    ),
  ),
});
export type WebhookUpdate = Static<typeof WebhookUpdate>;

const webhook = {
  id: id('Id of the webhook.'),
  url: text('Where events are sent.'),
  description: nullable(text('A note.')),
  ...filters,
  status: word(['enabled', 'failing', 'disabled'], {
    description: '`failing`: the last attempt failed, and is repeated. `disabled`: see `disabled`.',
  }),
  disabled: Type.Union(
    [
      closed({
        reason: word(disabledReasons, {
          description:
            '`request`: by a request or the command. `failing`: no delivery for 24 hours. `gone`: the receiver ' +
            'responded with 410. `pruned`: the change log no longer has the next change. `moved`: the database was ' +
            'restored or moved.',
        }),
        at: dateTime('When it was disabled.'),
        message: text('The reason in words.'),
      }),
      Type.Null(),
    ],
    { description: 'Why it is disabled; null while it is enabled.' },
  ),
  position: text('The position up to which events were delivered.'),
  failures: count('Failed attempts since the last delivery.'),
  next_attempt_at: nullable(dateTime('When the failed attempt is repeated; else null.')),
  delivered_at: nullable(dateTime('When an event was last delivered.')),
  old_secret_until: nullable(
    dateTime('Until when the secret before the last rotation signs too; else null.'),
  ),
  created_by: text('Who created it, such as `command` or `token 12`.'),
  created_at: dateTime('When it was created.'),
  updated_at: dateTime('When its properties last changed.'),
};

export const Webhook = object(
  'Webhook',
  'Where the changes of the book are sent. The changes are signed and in order.',
  webhook,
  {
    example: {
      id: 3,
      url: 'https://hooks.example.com/coffer',
      description: 'Home dashboard',
      records: ['transactions'],
      kinds: null,
      status: 'enabled',
      disabled: null,
      position: '2f1c8a40d5b36e97f0a1b2c3d4e5f607.1.341.0.0',
      failures: 0,
      next_attempt_at: null,
      delivered_at: '2026-03-15T06:30:00.000Z',
      old_secret_until: null,
      created_by: 'token 12',
      created_at: '2026-03-01T09:00:00.000Z',
      updated_at: '2026-03-01T09:00:00.000Z',
    },
  },
);
export type Webhook = Static<typeof Webhook>;

export const NewWebhook = object(
  'NewWebhook',
  'A webhook with its secret.',
  {
    ...webhook,
    secret: text(
      'The secret that signs its messages: `whsec_` and Base64. It is not shown again; a new one can be made.',
    ),
  },
  {
    example: {
      ...exampleOf(Webhook),
      delivered_at: null,
      secret: 'whsec_9qWv0Jt0Hc9m1s0d6pK2rX3b5n7ZyLfQeTgUiOaPsDk=',
    },
  },
);
export type NewWebhook = Static<typeof NewWebhook>;

export const WebhookList = object('WebhookListResponse', 'All webhooks of the book.', {
  webhooks: listOf(Webhook, 'By id.'),
});

export const WebhookRotation = object(
  'WebhookRotation',
  'How to replace a secret.',
  {
    keep_hours: Type.Integer({
      minimum: 0,
      maximum: mostKeptSecretHours,
      default: 24,
      description:
        'How long the old secret signs too, so that the receiver can be changed meanwhile.',
    }),
  },
  { example: { keep_hours: 24 } },
);

export const WebhookAttempt = object(
  'WebhookAttempt',
  'An attempt to deliver a message.',
  {
    number: Type.Integer({ minimum: 1, description: 'Its number among those of the webhook.' }),
    kind: word(['event', 'redelivery', 'ping'], {
      description: '`redelivery` and `ping`: on request, once.',
    }),
    message_id: text('The `webhook-id` of the message, the same for each attempt to deliver it.'),
    at: dateTime('When the attempt ended.'),
    duration_ms: count('How long it took.'),
    delivered: flag('Whether the receiver responded with 200 to 299.'),
    status: nullable(Type.Integer({ description: 'Status of the response; null without one.' })),
    error: nullable(text('What failed, in words.')),
    changes: count('Number of changes in the message.'),
  },
  {
    example: {
      number: 18,
      kind: 'event',
      message_id: 'msg_kGm0xq9Yh0c1n5n6l8v2b3Fz4Tq7aWsE',
      at: '2026-03-15T06:30:00.000Z',
      duration_ms: 84,
      delivered: true,
      status: 204,
      error: null,
      changes: 2,
    },
  },
);
export type WebhookAttempt = Static<typeof WebhookAttempt>;

export const AttemptQuery = closed({
  limit: limit(keptAttempts, 20, 'Most attempts in the response.'),
  before: optional(
    Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Only attempts with a lower number.',
    }),
  ),
});

export const WebhookAttemptList = object(
  'WebhookAttemptList',
  `Attempts of a webhook, the latest first. The last ${keptAttempts} of each webhook are kept.`,
  { attempts: listOf(WebhookAttempt), has_more: flag('Whether there are older ones.') },
);

export const WebhookRedelivery = object(
  'WebhookRedelivery',
  'What to deliver again: exactly one of the two.',
  {
    after: optional(after),
    attempt: optional(
      Type.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'The number of an attempt, whose event is sent once more, now.',
      }),
    ),
  },
);

export const WebhookRedelivered = object('WebhookRedelivered', 'What was begun or done.', {
  webhook: reference(Webhook),
  attempt: orNull(
    WebhookAttempt,
    'What happened to the event; null if events are sent from a position on.',
  ),
});

/** Why there are no new secrets. */
export const noKeyText =
  'The server has no encryption key, and secrets are only stored encrypted: set ENCRYPTION_KEY';

/** Examples of bodies and of refusals. */
export const webhookExamples = {
  insert: {
    transactions: {
      summary: 'For changes of transactions',
      value: only(exampleOf(Webhook), ['url', 'description', 'records']),
    },
    all: {
      summary: 'For all changes after version 340',
      value: { url: exampleOf(Webhook).url, after: '340' },
    },
  },
  update: {
    enable: { summary: 'Enable it again', value: { enabled: true } },
    move: { summary: 'Another URL', value: { url: 'https://hooks.example.com/v2' } },
  },
  redeliver: {
    from: { summary: 'All events after version 340', value: { after: '340' } },
    one: { summary: 'The event of one attempt', value: { attempt: 17 } },
  },
  noKey: {
    noKey: {
      summary: 'The server has no key',
      value: { message: 'Conflict', errors: [{ errMsg: noKeyText }] },
    },
  },
  gone: {
    pruned: {
      summary: 'Changes that the log no longer has',
      value: {
        message: 'Gone',
        errors: [
          {
            errMsg:
              'The changes after version 12 were pruned, up to 340. Copy the records again, and continue from after=latest',
            oldest_version: 340,
          },
        ],
      },
    },
  },
};
