import assert from 'node:assert/strict';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, test } from 'node:test';

interface Inputs {
  begin(): number;
  write(begunMs: number, files: readonly string[], folders: readonly string[]): void;
  compare(): 'fresh' | 'touched' | 'stale';
}

interface Known {
  ctimeMs: number;
  sha256: string;
}

const root = mkdtempSync(join(tmpdir(), 'coffer-inputs-'));
after(() => rmSync(root, { recursive: true }));
const room = join(root, 'packages/cli');
const source = join(root, 'source.ts');
const record = join(room, 'dist/inputs.json');
mkdirSync(join(root, 'pages'), { recursive: true });
cpSync(join(import.meta.dirname, 'bundle-inputs.cjs'), join(room, 'bundle-inputs.cjs'));
const inputs = createRequire(import.meta.url)(join(room, 'bundle-inputs.cjs')) as Inputs;

/** Records the files. Those written less than two seconds before count as just written. */
function writeRecord(secondsLater = 0): void {
  const begunMs = inputs.begin() + secondsLater * 1000;
  inputs.write(begunMs, ['source.ts', 'pages/a.html'], ['pages']);
}

function changeRecord(change: (known: Known) => void): void {
  const written = JSON.parse(readFileSync(record, 'utf8')) as { files: Record<string, Known> };
  change(written.files['source.ts']!);
  writeFileSync(record, JSON.stringify(written));
}

beforeEach(() => {
  writeFileSync(source, 'const answer = 1;');
  writeFileSync(join(root, 'pages/a.html'), '<p>');
});

test('a bundle is fresh as long as nothing is written, and without a record it is stale', () => {
  rmSync(join(room, 'dist'), { recursive: true, force: true });
  assert.equal(inputs.compare(), 'stale');
  writeRecord(10);
  assert.equal(inputs.compare(), 'fresh');
});

test('a file with the recorded ctime and size is not read', () => {
  writeRecord(10);
  changeRecord((known) => (known.sha256 = 'of something else'));
  assert.equal(inputs.compare(), 'fresh');
});

test('a file that was written again with its content makes no bundle stale', () => {
  writeRecord(10);
  const { ctimeMs } = statSync(source);
  while (statSync(source).ctimeMs === ctimeMs) utimesSync(source, 1, 1);
  assert.equal(inputs.compare(), 'touched');
});

test('other content is noticed when its length and its time stamp are the old ones', () => {
  writeRecord(10);
  const { atime, mtime, ctimeMs } = statSync(source);
  while (statSync(source).ctimeMs === ctimeMs) {
    writeFileSync(source, 'const answer = 2;');
    utimesSync(source, atime, mtime);
  }
  assert.equal(inputs.compare(), 'stale');
});

test('content that was written twice within a step of the clock is noticed', () => {
  writeRecord();
  writeFileSync(source, 'const answer = 2;');
  changeRecord((known) => (known.ctimeMs = statSync(source).ctimeMs));
  assert.equal(inputs.compare(), 'stale');
});

test('a file that changes while the bundle is made leaves no record', () => {
  writeRecord(-1);
  assert.equal(inputs.compare(), 'stale');
});

for (const [what, change] of [
  ['a longer source', () => writeFileSync(source, 'const answer = 1; // of two')],
  ['a missing source', () => rmSync(source)],
  ['a changed page', () => writeFileSync(join(root, 'pages/a.html'), '<b>')],
  ['a new page', () => writeFileSync(join(root, 'pages/b.svg'), '<svg>')],
  ['a missing page', () => rmSync(join(root, 'pages/a.html'))],
] as const) {
  test(`${what} makes the bundle stale`, () => {
    rmSync(join(root, 'pages/b.svg'), { force: true });
    writeRecord();
    assert.equal(inputs.compare(), 'touched');
    change();
    assert.equal(inputs.compare(), 'stale');
  });
}

test('a test beside the pages is no page', () => {
  rmSync(join(root, 'pages/b.svg'), { force: true });
  writeRecord();
  writeFileSync(join(root, 'pages/pages.test.ts'), '');
  assert.equal(inputs.compare(), 'touched');
});
