import { APPLICATIONS } from './applications.ts';
import { BANKS } from './banks.ts';
import type { Profile } from './profile.ts';

const PROFILES: readonly { profile: Profile; names: string[]; without: string[] }[] = [
  ...APPLICATIONS,
  ...BANKS,
].map((profile) => ({
  profile,
  names: profile.header.split('|'),
  without: profile.without?.split('|') ?? [],
}));

/** The first known bank or application whose names a header contains; null if there is none. */
export function profileOf(foldedNames: readonly string[]): Profile | null {
  const present = new Set(foldedNames);
  const found = PROFILES.find(
    ({ profile, names, without }) =>
      names.every((name) => present.has(name)) &&
      !without.some((name) => present.has(name)) &&
      (profile.isWhole !== true || foldedNames.length === names.length),
  );
  return found?.profile ?? null;
}
