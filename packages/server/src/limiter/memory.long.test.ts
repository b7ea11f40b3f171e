import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

/** Prints how many clients have their own window, and how many of the first 100,000 kept their counts. */
const script = `
  import { execFileSync } from 'node:child_process';
  import { readFileSync } from 'node:fs';
  import { createMemoryLimiter } from ${JSON.stringify(new URL('./memory.ts', import.meta.url))};
  const limiter = createMemoryLimiter({ rateLimit: { limit: 100, windowMs: 86_400_000 } });
  const hit = (key) => limiter.hit(String(key)).remaining;
  for (let i = 0; i < 500_000; i += 1) hit(i & 127);
  for (let i = 0; i < 100_000; i += 1) hit('first ' + i);
  globalThis.gc();
  const [, kilobytes] = /^VmData:\\s+(\\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'));
  const limit = '--data=' + (Number(kilobytes) * 1024 + 20_000_000);
  execFileSync('prlimit', ['--pid', String(process.pid), limit]);
  let own = 0;
  for (let i = 0; limiter.clientCount() > own; i += 1) {
    own = limiter.clientCount();
    hit('further ' + i);
  }
  for (let i = 0; i < 10_000; i += 1) hit('newcomer ' + i);
  let kept = 0;
  for (let i = 0; i < 100_000; i += 1) kept += Number(hit('first ' + i) === 98);
  console.log(JSON.stringify({ own, kept }));`;

const skip = spawnSync('prlimit', ['--version']).error !== undefined && 'missing: prlimit';
test('clients share windows when the system denies memory, and no count is lost', { skip }, () => {
  // The flag of a server. Without it the heap would grow briefly, which a system without memory would deny.
  const flags = ['--semi-space-growth-factor=1', '--expose-gc'];
  const args = [...flags, '--input-type=module', '--eval', script];
  const child = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 300_000 });
  assert.equal(child.status, 0, child.stderr);
  const { own, kept } = JSON.parse(child.stdout) as Record<'own' | 'kept', number>;
  assert.equal(kept, 100_000);
  assert.ok(own >= 100_000 && own < 1_000_000, `${own} own windows`);
});
