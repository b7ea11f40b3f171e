import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, describe, it } from 'node:test';
import { lockDatabase } from './database-lock.ts';
import type { Occupation } from './database-lock.ts';

const root = mkdtempSync(join(tmpdir(), 'coffer-lock-'));
after(() => rmSync(root, { recursive: true }));

let folder: string;
let database: string;
beforeEach(() => {
  folder = mkdtempSync(join(root, 'folder-'));
  database = join(folder, 'coffer.db');
});

const lock = (occupation: Occupation, path = database) => lockDatabase(path, occupation, 0);

describe('the lock of a database', () => {
  const together: readonly (readonly [Occupation, Occupation, boolean])[] = [
    ['command', 'command', true],
    ['command', 'server', true],
    ['server', 'command', true],
    ['server', 'server', false],
    ['command', 'restore', false],
    ['server', 'restore', false],
    ['restore', 'command', false],
    ['restore', 'server', false],
    ['restore', 'restore', false],
  ];
  it('allows commands beside a command or a server, and nothing else together', () => {
    for (const [first, second, canBe] of together) {
      const held = lock(first);
      if (canBe) lock(second).release();
      else assert.throws(() => lock(second), { name: 'DatabaseInUseError' }, `${first} ${second}`);
      held.release();
      lock(second).release();
    }
  });

  it('is an empty file that only its owner can read, without a journal', () => {
    const held = lock('server');
    assert.deepEqual(readdirSync(folder), ['coffer.db-lock']);
    const { mode, size } = statSync(`${database}-lock`);
    assert.deepEqual([mode & 0o777, size], [0o600, 0]);
    held.release();
    assert.deepEqual(
      [readdirSync(folder), statSync(`${database}-lock`).size],
      [['coffer.db-lock'], 0],
    );
  });

  it('is the same for all names of a database', () => {
    writeFileSync(database, '');
    const link = join(folder, 'link.db');
    symlinkSync(database, link);
    const held = lock('server', link);
    assert.throws(() => lock('server'), { name: 'DatabaseInUseError' });
    held.release();
  });

  it('is not left next to a file that is not a database', () => {
    writeFileSync(database, 'Dear diary, '.repeat(100));
    lock('command').release();
    lock('command', folder).release();
    assert.deepEqual(readdirSync(folder), ['coffer.db']);
    assert.ok(!existsSync(`${folder}-lock`));
  });

  it('throws a DatabaseError if its file cannot be created', () => {
    const nowhere = join(folder, 'nowhere', 'coffer.db');
    const refused = { name: 'DatabaseError', kind: 'unavailable' };
    assert.throws(() => lock('server', nowhere), refused);
  });

  it('is not needed by a database in memory', () => {
    lock('server', ':memory:');
    lock('server', ':memory:');
    assert.ok(!existsSync(':memory:-lock'));
  });

  it('is released when its process is killed', { timeout: 20_000 }, async () => {
    const module = new URL('database-lock.ts', import.meta.url).href;
    const script = `
      const { lockDatabase } = await import(${JSON.stringify(module)});
      lockDatabase(${JSON.stringify(database)}, 'server', 0);
      // Nothing refers to the lock, but it must not be collected as garbage.
      globalThis.gc();
      console.log('held');
      setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ['--expose-gc', '--input-type=module', '--eval', script]);
    after(() => child.kill('SIGKILL'));
    await once(child.stdout, 'data');
    assert.throws(() => lock('server'), { name: 'DatabaseInUseError' });
    child.kill('SIGKILL');
    await once(child, 'exit');
    lock('restore').release();
  });
});
