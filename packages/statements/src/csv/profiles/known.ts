import type { ColumnMap } from '../../statement/column-map.ts';
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

/**
 * The first known bank or application whose names a header contains; null if there is none. One that has its amounts in
 * several columns counts only where the map does not say where they are.
 */
export function profileOf(foldedNames: readonly string[], map: ColumnMap): Profile | null {
  const present = new Set(foldedNames);
  const found = PROFILES.find(
    ({ profile, names, without }) =>
      names.every((name) => present.has(name)) &&
      !without.some((name) => present.has(name)) &&
      (profile.isWhole !== true || foldedNames.length === names.length),
  );
  if (found?.profile.splits === 'wise' && map.amount !== undefined) return null;
  return found?.profile ?? null;
}
