import { openWebhookSender, settings } from '@coffer/server';
import type { WebhookSender } from '@coffer/server';
import type { CommandContext } from '../../context.ts';
import { Misuse } from '../../failure.ts';
import { readSealingKey } from '../../sealing-key.ts';

/** Returns a sender with the settings of the environment. Throws {@link Misuse} if one is missing or invalid. */
export function senderOf({ environment }: CommandContext): WebhookSender {
  const { variable, fallback } = settings.webhookPrivateTargets;
  const key = readSealingKey(environment);
  try {
    return openWebhookSender(key, environment[variable] ?? fallback);
  } catch (error) {
    throw new Misuse(`${variable}: ${(error as Error).message}`);
  }
}
