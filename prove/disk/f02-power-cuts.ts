import { rmSync, writeFileSync } from 'node:fs';
import { checkDatabase, type Engine } from '../../packages/server/src/main.ts';
import { inFolder, useStore } from '../../test/service/owners.ts';
import type { Check } from '../run/check.ts';
import { inspect } from '../run/ledger.ts';
import { randomFrom, type Random } from '../../test/service/random.ts';
import { cutPower, type Cut } from './power-cut.ts';
import { recordImport, recordServer, recordWriter, type Recording } from './recorded-writers.ts';
import { saidIn } from './recording.ts';

const seed = 2;
/** A small log is checkpointed every few batches, so that many cuts happen while pages go to the database file. */
const smallLog = 'PRAGMA wal_autocheckpoint = 60;';
const unsafe = `${smallLog} PRAGMA synchronous = NORMAL`;

/** Simulates power cuts on the writes and syncs of the engine, as recorded by strace. */
export const check: Check = {
  id: 'F2',
  needs: ['strace'],
  rounds: { short: 8, full: 400 },
  run: async (rounds) => {
    const random = randomFrom(seed);
    const half = Math.ceil(rounds / 2);
    const quarter = Math.ceil(rounds / 4);
    const batches = 20 + quarter;
    const surveys = [
      await survey(half, random, (folder) => recordWriter(folder, batches, smallLog)),
      await survey(quarter, random, (folder) => recordImport(folder, batches)),
      await survey(quarter, random, (folder) => recordServer(folder, batches)),
    ];
    const control = await survey(half, random, (folder) => recordWriter(folder, batches, unsafe));
    const problems = surveys.flatMap((each) => each.problems);
    const cuts = surveys.reduce((sum, each) => sum + each.cuts, 0);
    const figure =
      `${cuts} cuts, half of them keep a random part of the unsynced writes: ${problems.length} with a loss; ` +
      `with synchronous=NORMAL ${control.problems.length} of ${control.cuts} (seed ${seed})`;
    if (control.problems.length === 0)
      problems.push(
        'the same cuts with synchronous = NORMAL lost nothing: this check detects nothing',
      );
    return { figure, problems };
  },
};

function survey(cuts: number, random: Random, record: (folder: string) => Promise<Recording>) {
  return inFolder(async (folder) => {
    const recording = await record(folder);
    const problems: string[] = [];
    for (const cut of cutPower(recording.deeds, recording.before, cuts, random))
      problems.push(...(await problemsAfter(cut, recording)));
    return { cuts, problems };
  });
}

async function problemsAfter(cut: Cut, { database, deeds, losses }: Recording): Promise<string[]> {
  const { position, survival, image } = cut;
  for (const file of [database, `${database}-wal`, `${database}-shm`])
    rmSync(file, { force: true });
  for (const [file, content] of image) writeFileSync(file, content);
  const said = saidIn(deeds.slice(0, position));
  const failed = (error: unknown): string[] => [String(error)];
  const wrong = [
    ...inspect(database).faults,
    ...(await losses(said).catch(failed)),
    ...(await useStore(database, findingsOf).catch(failed)),
  ];
  const where = `cut after ${position} of ${deeds.length} calls, ${survival} of the unsynced writes kept`;
  return wrong.length === 0 ? [] : [`${where}: ${wrong.join('; ')}`];
}

async function findingsOf(store: Engine): Promise<string[]> {
  const findings = await checkDatabase(store, { repair: false });
  return findings.map(({ check: name, detail }) => `the doctor finds ${name}: ${detail}`);
}
