import {
  createWebhookSender,
  type WebhookSender,
} from '@coffer/server/src/webhooks/webhook-sender.ts';
import type { CommandContext } from '../../terminal/context.ts';
import { readPrivateTargets } from '../private-targets.ts';
import { readSealingKey } from '../sealing-key.ts';

/** Returns a sender with the settings of the environment. Throws Misuse if one is missing or invalid. */
export function senderOf(context: CommandContext): WebhookSender {
  return createWebhookSender({
    encryptionKey: readSealingKey(context.environment),
    privateTargets: readPrivateTargets(context),
  });
}
