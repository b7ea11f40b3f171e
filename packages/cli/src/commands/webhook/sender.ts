import { openWebhookSender } from '@coffer/server';
import type { WebhookSender } from '@coffer/server';
import type { CommandContext } from '../../terminal/context.ts';
import { privateTargetsOf } from '../private-targets.ts';
import { readSealingKey } from '../sealing-key.ts';

/** Returns a sender with the settings of the environment. Throws Misuse if one is missing or invalid. */
export function senderOf(context: CommandContext): WebhookSender {
  return openWebhookSender(readSealingKey(context.environment), privateTargetsOf(context));
}
