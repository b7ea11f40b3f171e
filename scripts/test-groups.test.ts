import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { groupTests } from './test-groups.ts';

test('tests share a process, except those that change or measure it', (t) => {
  const root = mkdtempSync(join(tmpdir(), 'coffer-groups-'));
  t.after(() => rmSync(root, { recursive: true }));
  const plant = (path: string, text: string): string => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
    return path;
  };
  const alone = [
    plant('packages/a/hook.test.ts', 'beforeEach(() => {});'),
    plant('packages/a/zone.test.ts', "process.env['TZ'] = 'UTC';"),
    plant('packages/a/memory.test.ts', 'const before = process.memoryUsage();'),
    plant('packages/a/mock.test.ts', "mock.method(Date, 'now');"),
    plant('test/spec/engines/pair.test.ts', ''),
    plant('scripts/other.test.ts', ''),
  ];
  const hookOfSuite = "describe('a', () => {\n  before(() => {});\n});";
  const own = "t.mock.method(Date, 'now'); assert.equal(process.env['TZ'], 'UTC');";
  const shared = [hookOfSuite, own, ...Array<string>(15).fill('')].map((text, n) =>
    plant(`${n % 2 ? 'packages/b' : 'test/spec'}/${n}.test.ts`, text),
  );
  const [first, second, ...others] = groupTests(root, [...alone, ...shared]).slice(alone.length);
  const imported = [first!, second!].flatMap((path) =>
    Array.from(readFileSync(path, 'utf8').matchAll(/file:\/\/([^"]+)/g), ([, file]) => file),
  );
  assert.deepEqual(
    imported,
    shared.map((file) => join(root, file)),
  );
  assert.deepEqual(others, []);
  assert.deepEqual(groupTests(root, alone), alone);
});
