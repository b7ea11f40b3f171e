import type { Services } from '../services.ts';
import type { MadeBy, Part, Requests } from './own-requests.ts';

/** A sender that sends nothing, and reports deliveries. */
export const fixedSender: Services['webhookSender'] = {
  urlProblem: () => null,
  newSecret: () => Promise.resolve({ secret: 'whsec_AAAA', sealed: Buffer.of(1) }),
  send: () => Promise.resolve({ status: 204, error: null, retryAfterMs: null, durationMs: 1 }),
};

/** Requests for each operation of webhooks. */
export function webhookRequests(made: MadeBy): Requests {
  const one = (at = 0): Part => ({ params: { id: made('createWebhook', at) } });
  const url = 'https://hooks.example.com/';
  return {
    getAllWebhooks: () => [{}],
    createWebhook: () => [{ body: { url } }, { body: { url, records: ['tags'], after: '2' } }],
    getWebhookById: () => [one()],
    updateWebhook: () => [
      { ...one(), body: { enabled: false } },
      { ...one(), body: { enabled: true, kinds: ['made'] } },
    ],
    rotateWebhookSecret: () => [{ ...one(), body: { keep_hours: 24 } }],
    pingWebhook: () => [one()],
    redeliverWebhook: () => [{ ...one(), body: { after: '2' } }],
    getWebhookAttempts: () => [{ ...one(), query: { limit: 1 } }],
    deleteWebhook: () => [one(1)],
  };
}
