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

/** Records the files. Files that were written less than two seconds before count as just written. */
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
  writeFileSync(source, 'const value = 1;');
  writeFileSync(join(root, 'pages/a.html'), '<p>');
});

test('a bundle is fresh until a file is written, and stale without a record', () => {
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

test('a file that was rewritten with the same content does not make the bundle stale', () => {
  writeRecord(10);
  const { ctimeMs } = statSync(source);
  while (statSync(source).ctimeMs === ctimeMs) utimesSync(source, 1, 1);
  assert.equal(inputs.compare(), 'touched');
});

test('other content with the same length and time stamp is detected', () => {
  writeRecord(10);
  const { atime, mtime, ctimeMs } = statSync(source);
  while (statSync(source).ctimeMs === ctimeMs) {
    writeFileSync(source, 'const value = 2;');
    utimesSync(source, atime, mtime);
  }
  assert.equal(inputs.compare(), 'stale');
});

test('content that was written twice within a step of the clock is detected', () => {
  writeRecord();
  writeFileSync(source, 'const value = 2;');
  changeRecord((known) => (known.ctimeMs = statSync(source).ctimeMs));
  assert.equal(inputs.compare(), 'stale');
});

test('a file that changes while the bundle is built leaves no record', () => {
  writeRecord(-1);
  assert.equal(inputs.compare(), 'stale');
});

for (const [what, change] of [
  ['a longer source', () => writeFileSync(source, 'const value = 1; // of two')],
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

test('a test in the folder of pages is not an input', () => {
  rmSync(join(root, 'pages/b.svg'), { force: true });
  writeRecord();
  writeFileSync(join(root, 'pages/pages.test.ts'), '');
  assert.equal(inputs.compare(), 'touched');
});
