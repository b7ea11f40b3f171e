import { readPrivateTargets, settings } from '@coffer/server';
import type { PrivateTargets } from '@coffer/server';
import type { CommandContext } from '../terminal/context.ts';
import { Misuse } from '../terminal/failure.ts';

/** Returns the private networks that requests may be sent to. Throws {@link Misuse} if the setting is invalid. */
export function privateTargetsOf({ environment }: CommandContext): PrivateTargets {
  const { variable, fallback } = settings.webhookPrivateTargets;
  try {
    return readPrivateTargets(environment[variable] ?? fallback);
  } catch (error) {
    throw new Misuse(`${variable}: ${(error as Error).message}`);
  }
}
