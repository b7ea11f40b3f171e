import { parsePrivateTargets } from '@coffer/server/src/config.ts';
import { privateTargetsOf } from '@coffer/server/src/webhook-targets.ts';
import { settings } from '@coffer/server/src/settings.ts';
import type { PrivateTargets } from '@coffer/server/src/outside/guarded-request.ts';
import type { CommandContext } from '../terminal/context.ts';
import { Misuse } from '../terminal/failure.ts';

/** Returns the private networks that requests may be sent to. Throws {@link Misuse} if the setting is invalid. */
export function readPrivateTargets({ environment }: CommandContext): PrivateTargets {
  const { variable, fallback } = settings.webhookPrivateTargets;
  try {
    return privateTargetsOf(parsePrivateTargets(environment[variable] ?? fallback));
  } catch (error) {
    throw new Misuse(`${variable}: ${(error as Error).message}`);
  }
}
