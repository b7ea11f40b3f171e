import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { requestTrips } from '../../scripts/request-trips.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/architecture.md'), 'utf8');
/** A count may be less by so many before the page has to say so. */
const slack = 2;

test('requests run as many files as docs/architecture.md says', async () => {
  for (const { name, status, files } of await requestTrips()) {
    assert.ok(status === 200 || status === 201, `${name}: ${status}`);
    const said = Number(new RegExp(`^\\| ${name} +\\| +(\\d+) \\|$`, 'm').exec(page)?.[1]);
    assert.ok(files > said - slack && files <= said, `${name}: ${files} files, not ${said}`);
  }
});
