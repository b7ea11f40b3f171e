import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const file = join(import.meta.dirname, '../../../shared/data/spend/uk-public-spending.csv.gz');
const skip = existsSync(file) ? false : 'missing: the real files';

test('1,545,117 payments are read exactly, in bounded memory', { skip }, () => {
  const program = fileURLToPath(import.meta.resolve('./large-file.ts'));
  const printed = execFileSync(process.execPath, [program, file], { encoding: 'utf8' });
  const { lines, kib } = JSON.parse(printed) as { lines: string[]; kib: number };
  assert.deepEqual(lines.toSorted(), [
    'cabinetoffice 36244 -78127249593700',
    'leeds 456066 -25608045244300',
    'networkrail 124003 -293312514526900',
    'northtyneside 557275 -107784198200',
    'tfl 371529 -142330135252800',
  ]);
  assert.ok(kib < 300_000, `${kib} KiB`);
});
