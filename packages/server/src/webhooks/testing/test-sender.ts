import { createWebhookSender, type WebhookSender } from '../webhook-sender.ts';
import { loopbackTargets } from './receiver.ts';

/** Returns a sender to receivers on the loopback. All have the same key. */
export function testSender(timeoutMs?: number): WebhookSender {
  const options = { encryptionKey: Buffer.alloc(32, 1), privateTargets: loopbackTargets };
  return createWebhookSender({ ...options, ...(timeoutMs !== undefined && { timeoutMs }) });
}

/** A URL at which nothing listens. */
export const deafUrl = 'http://127.0.0.1:9/hook';
