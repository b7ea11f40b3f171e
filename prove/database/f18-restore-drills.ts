import { join } from 'node:path';
import { cofferPrints } from '../../test/service/coffer.ts';
import { inFolder } from '../../test/service/owners.ts';
import { withSynced } from '../../test/service/server-process.ts';
import { named, type Check } from '../run/check.ts';
import { inspect } from '../run/ledger.ts';
import { refuseDamaged } from './damaged-backups.ts';
import { killRestores } from './killed-restores.ts';
import { startWriters, type Writers, type Writing } from './restore-writers.ts';
import { answerProblems, contentProblems, strangers } from './restored-copy.ts';

const seed = 18;
const accountCount = 2;
const flags = ['--log-level', 'silent', '--rate-limit', '1000000'];

/** Makes backups while a server, imports and commands write, restores each elsewhere, and checks the content. */
export const check: Check = {
  id: 'F18',
  rounds: { short: 1, full: 20 },
  run: (rounds) =>
    inFolder(async (folder) => {
      const drills = await holdDrills(folder, rounds);
      const [first, last] = [drills[0]!, drills.at(-1)!];
      const refused = await refuseDamaged(folder, last.backup, rounds, seed);
      const exchange = { backup: last.backup, before: first.restored };
      const killed = await killRestores(folder, exchange, rounds);
      const copies = drills.map(({ restored }) => restored);
      const problems = [
        ...drills.flatMap(({ found }) => found),
        ...strangers(join(folder, 'coffer.db'), copies),
        ...refused.problems,
        ...killed.problems,
      ];
      // During the backups.
      for (const what of ['imports', 'refreshes'] as const)
        if (drills.every((drill) => drill[what] === 0)) problems.push(`there were no ${what}`);
      const batches = [...inspect(last.restored).batches.values()];
      const slowest = (of: 'backupMs' | 'restoreMs'): number =>
        Math.max(...drills.map((drill) => drill[of]));
      const figure =
        `${drills.length} drills, up to ${batches.reduce((sum, rows) => sum + rows, 0)} transactions; ` +
        `slowest backup ${slowest('backupMs')} ms, restore ${slowest('restoreMs')} ms; ` +
        `${refused.count} damaged backups refused; ${killed.before + killed.after} restores killed: ` +
        `${killed.before} left the old database, ${killed.after} the new one (seed ${seed})`;
      return { figure, problems };
    }),
};

function holdDrills(folder: string, rounds: number) {
  const database = join(folder, 'coffer.db');
  return withSynced({ database, flags }, accountCount, (synced) =>
    synced.serve(async ({ url }) => {
      const writing = { folder, database, url, synced, accountCount };
      const writers = startWriters(writing);
      const drills: Awaited<ReturnType<typeof drill>>[] = [];
      try {
        await writers.begun;
        for (let round = 1; round <= rounds; round += 1)
          drills.push(await drill(writing, writers, round));
      } finally {
        await writers.stop();
      }
      return drills;
    }),
  );
}

async function drill({ folder, database, synced }: Writing, writers: Writers, round: number) {
  const backup = join(folder, `${round}.bak`);
  const restored = join(folder, `restored-${round}.db`);
  const before = writers.acknowledged();
  const backupMs = await run('backup', backup, '--database', `sqlite:${database}`);
  const after = writers.acknowledged();
  const restoreMs = await run('restore', backup, '--database', `sqlite:${restored}`);
  const found = [
    ...contentProblems(restored, writers.ledger, before),
    ...(await answerProblems(restored, synced, before)),
  ];
  return {
    ...{ backup, restored, backupMs, restoreMs, found: named(`drill ${round}`, found) },
    // Acknowledged during the backup.
    imports: after.batches.size - before.batches.size,
    refreshes: after.refreshes - before.refreshes,
  };
}

async function run(...args: readonly string[]): Promise<number> {
  return (JSON.parse(await cofferPrints(...args, '--json')) as { elapsed_ms: number }).elapsed_ms;
}
