import type { Dialect } from '../db/dialect.ts';
import { dialectOf, rows } from '../db/engine.ts';
import type { Engine, Steps } from '../db/engine.ts';
import { checkCounts } from './count-rules.ts';
import { checkJson, checkTags } from './derived-rules.ts';
import { findingsOf } from './finding.ts';
import type { Finding } from './finding.ts';
import { checkLog } from './log-rules.ts';
import { checkRecords } from './record-rules.ts';
import { checkSearchedTexts, checkSums, fillOutdated } from './search-rules.ts';
import { checkTexts } from './text-rules.ts';

/**
 * Checks the database: the file, the records, the change log, and the data derived from the records.
 *
 * With `repair` it rebuilds the derived data. It never changes a record, nor the change log.
 */
export function checkDatabase(
  engine: Engine,
  { repair }: { readonly repair: boolean },
): Promise<Finding[]> {
  return engine.write(() => check(repair), { rollback: !repair, onSnapshot: true });
}

/** Runs the checks of {@link checkDatabase} in the open transaction. */
export function* check(repair: boolean): Steps<Finding[]> {
  const dialect = yield* dialectOf();
  if (repair) yield* fillOutdated();
  return [
    ...(yield* checkOwn(dialect)),
    ...(yield* checkCounts(repair)),
    ...(yield* checkJson(repair, dialect)),
    ...(yield* checkTags(repair)),
    ...(yield* checkSearchedTexts(repair)),
    ...(yield* checkSums(repair)),
    ...(yield* checkRecords()),
    ...(yield* checkLog()),
    ...(yield* checkTexts(dialect)),
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
