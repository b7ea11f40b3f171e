import { notices } from './rules.ts';
import type { Webhook, WebhookAttempt } from './schema.ts';

/** Why there are no new secrets. */
export const noKeyText =
  'The server has no encryption key, and secrets are only stored encrypted: set ENCRYPTION_KEY';

const position = '2f1c8a40d5b36e97f0a1b2c3d4e5f607.1.341.0.0';

const webhook: Webhook = {
  id: 3,
  url: 'https://hooks.example.com/coffer',
  description: 'Home dashboard',
  records: ['transactions'],
  kinds: null,
  status: 'enabled',
  disabled: null,
  position,
  failures: 0,
  next_attempt_at: null,
  delivered_at: '2026-03-15T06:30:00.000Z',
  old_secret_until: null,
  created_by: 'token 12',
  created_at: '2026-03-01T09:00:00.000Z',
  updated_at: '2026-03-01T09:00:00.000Z',
};
const gone: Webhook = {
  ...webhook,
  status: 'disabled',
  disabled: { reason: 'gone', at: '2026-03-16T08:00:00.000Z', message: notices.gone },
};
const secret = 'whsec_9qWv0Jt0Hc9m1s0d6pK2rX3b5n7ZyLfQeTgUiOaPsDk=';
const created = { ...webhook, delivered_at: null, secret };
const delivered: WebhookAttempt = {
  number: 18,
  kind: 'event',
  message_id: 'msg_kGm0xq9Yh0c1n5n6l8v2b3Fz4Tq7aWsE',
  at: '2026-03-15T06:30:00.000Z',
  duration_ms: 84,
  delivered: true,
  status: 204,
  error: null,
  changes: 2,
};
const failed: WebhookAttempt = {
  ...delivered,
  number: 17,
  at: '2026-03-15T06:29:55.000Z',
  delivered: false,
  status: 503,
  error: 'The receiver responded with 503',
};
const pinged: WebhookAttempt = { ...delivered, number: 19, kind: 'ping', changes: 0 };
const again: WebhookAttempt = { ...delivered, number: 20, kind: 'redelivery' };

/** Example bodies; tests check each against its schema. */
export const webhookExamples = {
  list: { webhooks: { summary: 'A book with one webhook', value: { webhooks: [webhook] } } },
  one: {
    enabled: { summary: 'A webhook', value: webhook },
    gone: { summary: 'One that was disabled', value: gone },
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
  created: { webhook: { summary: 'The webhook with its secret', value: created } },
  insert: {
    transactions: {
      summary: 'For changes of transactions',
      value: { url: webhook.url, description: webhook.description, records: ['transactions'] },
    },
    all: {
      summary: 'For all changes after version 340',
      value: { url: webhook.url, after: '340' },
    },
  },
  update: {
    enable: { summary: 'Enable it again', value: { enabled: true } },
    move: { summary: 'Another URL', value: { url: 'https://hooks.example.com/v2' } },
  },
  rotate: { day: { summary: 'Both sign for a day', value: { keep_hours: 24 } } },
  rotated: {
    webhook: {
      summary: 'The webhook with its new secret',
      value: { ...created, old_secret_until: '2026-03-16T09:00:00.000Z' },
    },
  },
  attempts: {
    two: {
      summary: 'A delivery after a failure',
      value: { attempts: [delivered, failed], has_more: true },
    },
  },
  ping: { delivered: { summary: 'The receiver works', value: pinged } },
  redeliver: {
    from: { summary: 'All events after version 340', value: { after: '340' } },
    one: { summary: 'The event of one attempt', value: { attempt: 17 } },
  },
  redelivered: {
    from: { summary: 'From a position on', value: { webhook, attempt: null } },
    one: { summary: 'One event', value: { webhook, attempt: again } },
  },
};
