import { readEncryptionKey, parsePrivateTargets } from '@coffer/server/src/config.ts';
import { settings } from '@coffer/server/src/settings.ts';
import type { CommandContext } from '../terminal/context.ts';
import { Misuse } from '../terminal/failure.ts';
import { privateTargetsOf } from '@coffer/server/src/webhook-targets.ts';
import type { PrivateTargets } from '@coffer/server/src/outside/guarded-request.ts';

const { variable } = settings.encryptionKey;

/** Reads a setting by `parse`. Throws {@link Misuse} for an invalid one, with the name of its flag or variable. */
export function readSetting<T>(name: string, text: string, parse: (text: string) => T): T {
  try {
    return parse(text);
  } catch (error) {
    throw new Misuse(`${name}: ${(error as Error).message}`);
  }
}

/** Returns the key that encrypts credentials, or null if none is set. Throws {@link Misuse} for what is no key. */
export function readKey(environment: CommandContext['environment']): Uint8Array | null {
  return readSetting(variable, environment[variable] ?? '', readEncryptionKey);
}

/** Returns the key that encrypts credentials. Throws {@link Misuse} if it is not set or not a key. */
export function readSealingKey(environment: CommandContext['environment']): Uint8Array {
  const key = readKey(environment);
  if (key !== null) return key;
  throw new Misuse(
    `${variable} is not set, and credentials are only stored encrypted. Create a key with "openssl rand -hex 32", ` +
      'keep it apart from backups of the database, and set it here and for "coffer serve"',
  );
}

/** Returns the private networks that requests may be sent to. Throws {@link Misuse} if the setting is invalid. */
export function readPrivateTargets({ environment }: CommandContext): PrivateTargets {
  const { variable, fallback } = settings.webhookPrivateTargets;
  const text = environment[variable] ?? fallback;
  return privateTargetsOf(readSetting(variable, text, parsePrivateTargets));
}
