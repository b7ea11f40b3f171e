import type { Dialect } from '../db/dialect.ts';
import { dialectOf, rows } from '../db/engine.ts';
import type { Engine, Steps } from '../db/engine.ts';
import { checkCounts } from './count-rules.ts';
import { checkJson, checkTags } from './derived-rules.ts';
import { findingsOf } from './finding.ts';
import type { Finding } from './finding.ts';
import { checkJsonColumns } from './json-rules.ts';
import { checkKeys } from './key-rules.ts';
import { checkLog } from './log-rules.ts';
import { checkRecords, checkReferences, checkTimes } from './record-rules.ts';
import { checkSearchedTexts, checkSums, fillOutdated } from './search-rules.ts';
import { checkSequences } from './sequences.ts';
import { checkTexts } from './text-rules.ts';

/**
 * Checks the database: the file, the records, the change log, and the data derived from the records.
 *
 * It reads one snapshot, so others write meanwhile. With `repair` it rebuilds the derived data, and locks the database
 * until the end. It never changes a record, nor the change log.
 */
export function checkDatabase(
  engine: Engine,
  { repair }: { readonly repair: boolean },
): Promise<Finding[]> {
  return repair
    ? engine.write(() => check(true), { onSnapshot: true })
    : engine.read(() => check(false));
}

/** Runs the checks of {@link checkDatabase} in the open transaction. */
export function* check(repair: boolean): Steps<Finding[]> {
  const dialect = yield* dialectOf();
  if (repair) yield* fillOutdated();
  return [
    ...(yield* checkOwn(dialect)),
    ...(yield* checkSequences(repair)),
    ...(yield* checkKeys(repair)),
    ...(yield* checkCounts(repair)),
    ...(yield* checkJson(repair, dialect)),
    ...(yield* checkTags(repair)),
    ...(yield* checkSearchedTexts(repair)),
    ...(yield* checkSums(repair)),
    ...(yield* checkRecords()),
    ...(yield* checkReferences()),
    ...(yield* checkTimes()),
    ...(yield* checkLog()),
    ...(yield* checkTexts(dialect)),
    ...(yield* checkJsonColumns()),
  ];
}

function* checkOwn({ ownChecks }: Dialect): Steps<Finding[]> {
  const findings: Finding[] = [];
  for (const query of ownChecks) {
    const found = yield* rows<{ kind: string; detail: string }>(query);
    const details = found.map(({ detail }) => detail);
    findings.push(...findingsOf(found[0]?.kind ?? '', details));
  }
  return findings;
}
