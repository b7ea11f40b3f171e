import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { beforeEach, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { newFolder } from '../packages/server/src/db/testing/folder.ts';

const folder = newFolder();

/** Replaces npm: fails where the lock file says so, otherwise "installs" and counts. */
const fakeNpm = `#!/bin/sh
read -r text <package-lock.json
[ "$text" != fails ] || exit 1
rm -rf node_modules && mkdir node_modules && echo run >>runs
`;
mkdirSync(join(folder, 'bin'));
writeFileSync(join(folder, 'bin/npm'), fakeNpm);
chmodSync(join(folder, 'bin/npm'), 0o755);
const env = { ...process.env, PATH: [join(folder, 'bin'), process.env['PATH']].join(delimiter) };
const packages = join(folder, 'tools');

/** Asks for the packages in a process of its own, and returns what it prints. */
async function ask(): Promise<string> {
  const module = JSON.stringify(import.meta.resolve('./on-demand.ts'));
  const code = `import { installOnDemand } from ${module};
    console.log(installOnDemand(${JSON.stringify(packages)}));`;
  const args = ['--input-type=module', '--eval', code];
  return (await promisify(execFile)(process.execPath, args, { env })).stdout.trim();
}

const lockFile = (text: string): void => writeFileSync(join(packages, 'package-lock.json'), text);
const runs = (): number => readFileSync(join(packages, 'runs'), 'utf8').split('\n').length - 1;

describe('packages on demand', () => {
  beforeEach(() => {
    rmSync(packages, { recursive: true, force: true });
    mkdirSync(packages);
    lockFile('{}');
  });

  test('are installed once, by one of the processes that ask at once', async () => {
    assert.deepEqual(await Promise.all([ask(), ask(), ask()]), ['false', 'false', 'false']);
    assert.equal(runs(), 1);
  });

  test('are installed again for another lock file', async () => {
    await ask();
    lockFile('{ }');
    assert.equal(await ask(), 'false');
    assert.equal(runs(), 2);
  });

  test('are missing where npm cannot get them', async () => {
    lockFile('fails');
    assert.equal(await ask(), 'missing: the packages of tools');
  });
});
