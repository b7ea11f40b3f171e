import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { requestTrips } from '../../scripts/request-trips.ts';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
/** A count may be less by so many before the page has to say so. */
const slack = 2;

test('requests run as many files as docs/architecture.md says', async () => {
  for (const { name, status, files } of await requestTrips()) {
    assert.ok(status === 200 || status === 201, `${name}: ${status}`);
    const said = Number(new RegExp(`^\\| ${name} +\\| +(\\d+) \\|$`, 'm').exec(page)?.[1]);
    assert.ok(files > said - slack && files <= said, `${name}: ${files} files, not ${said}`);
  }
});

test('what docs/architecture.md names exists, and it has two pages', () => {
  const named = [...page.matchAll(/`([\w./-]+\/|[\w./-]*\w\.ts)`/g)].map(([, path = '']) => path);
  assert.ok(named.length > 20);
  const places = ['', 'packages/server/src', 'packages/server/src/ledger/tags'];
  const missing = named.filter((path) => !places.some((at) => existsSync(join(root, at, path))));
  assert.deepEqual(missing, []);
  assert.ok(page.split('\n').length <= 110);
});
