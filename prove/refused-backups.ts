import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { runCommandLine } from '../packages/cli/src/command-line.ts';
import type { Said } from './coffer-command.ts';
import { damagedBackups, isSame } from './damaged-backups.ts';
import { randomFrom } from './random.ts';

/** With so many, every kind of damage occurs. */
const leastDamaged = 9;

/** Backups that were damaged, and what was wrong with how they were taken. */
export interface RefusedBackups {
  readonly count: number;
  readonly problems: readonly string[];
}

/** Damages a sound backup in `count` ways, nine at least: each is refused with a clear message, what is there stays. */
export async function refuseDamaged(
  folder: string,
  backup: string,
  count: number,
  seed: number,
): Promise<RefusedBackups> {
  const sound = readFileSync(backup);
  const file = join(folder, 'damaged.bak');
  const target = join(folder, 'target.db');
  const { code, stderr } = await restore(backup, target);
  if (code !== 0) throw new Error(`The sound backup is refused: ${stderr}`);
  const before = readFileSync(target);
  const problems: string[] = [];
  const damaged = damagedBackups(Math.max(leastDamaged, count), randomFrom(seed));
  for (const { what, message, write } of damaged) {
    for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true });
    writeFileSync(file, '');
    write(file, sound);
    const said = await restore(file, target, '--replace');
    if (said.code !== 1 || !message.test(said.stderr) || said.stdout !== '')
      problems.push(`${what}: ended with ${said.code} and said ${said.stderr}${said.stdout}`);
    if (!isSame(target, before)) problems.push(`${what}: the target was changed`);
  }
  return { count: damaged.length, problems };
}

/** The command in this process: one of its own takes longer to start than to refuse. */
async function restore(file: string, target: string, ...flags: readonly string[]): Promise<Said> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const code = await runCommandLine(['restore', file, ...flags, '--database', `sqlite:${target}`], {
    ...{ stdout, stderr, stdin: Readable.from([]) },
    ...{ isTerminal: false, environment: {}, now: () => new Date() },
  });
  stdout.end();
  stderr.end();
  return { code, stdout: await text(stdout), stderr: await text(stderr) };
}
