import * as schema from './schema.ts';

/** The schemas of this folder, by their name in the document. */
export const webhookComponents = {
  WebhookListResponse: schema.WebhookList,
  Webhook: schema.Webhook,
  NewWebhook: schema.NewWebhook,
  WebhookInsert: schema.WebhookInsert,
  WebhookUpdate: schema.WebhookUpdate,
  WebhookRotation: schema.WebhookRotation,
  WebhookAttempt: schema.WebhookAttempt,
  WebhookAttemptList: schema.WebhookAttemptList,
  WebhookRedelivery: schema.WebhookRedelivery,
  WebhookRedelivered: schema.WebhookRedelivered,
};
