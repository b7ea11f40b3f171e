import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { columnsOf } from '../../packages/server/src/db/testing/whole-database.ts';
import { ask } from '../../test/service/ask.ts';
import { cofferPrints, whose } from '../../test/service/coffer.ts';
import { inFolder } from '../../test/service/owners.ts';
import { withSynced, type Synced } from '../../test/service/server-process.ts';
import { readAccount } from '../../test/service/synced-accounts.ts';
import { named, counted, type Check } from '../run/check.ts';
import {
  inspect,
  importBatches,
  Ledger,
  batchOf,
  lossProblems,
  readFile,
  type RunningBatches,
} from '../run/ledger.ts';
import { refuseDamaged } from './damaged-backups.ts';
import { differences, digest, killBetween, type KilledStates } from './killed-commands.ts';
import { newAddress } from '../../test/service/http-exchange.ts';

const seed = 18;
/** How many more backups there may be until imports and refreshes were acknowledged during one. */
const mostMore = 10;
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
      problems.push(...missingIn(drills).map((what) => `there were no ${what}`));
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

/** What was never acknowledged during a backup. */
function missingIn(drills: readonly Pick<Drill, 'imports' | 'refreshes'>[]): string[] {
  return (['imports', 'refreshes'] as const).filter((what) =>
    drills.every((drill) => drill[what] === 0),
  );
}

function holdDrills(folder: string, rounds: number) {
  const database = join(folder, 'coffer.db');
  return withSynced({ database, flags }, accountCount, (synced) =>
    synced.serve(async ({ url }) => {
      const writing = { folder, database, url, synced };
      const writers = startWriters(writing);
      const drills: Drill[] = [];
      try {
        await writers.begun;
        // On a busy machine a short backup may end between two writes.
        for (
          let round = 1;
          round <= rounds || (missingIn(drills).length > 0 && round <= rounds + mostMore);
          round += 1
        )
          drills.push(await drill(writing, writers, round));
      } finally {
        await writers.stop();
      }
      return drills;
    }),
  );
}

type Drill = Awaited<ReturnType<typeof drill>>;

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
    backup,
    restored,
    backupMs,
    restoreMs,
    found: named(`drill ${round}`, found),
    // Acknowledged during the backup.
    imports: after.batches.size - before.batches.size,
    refreshes: after.refreshes - before.refreshes,
  };
}

async function run(...args: readonly string[]): Promise<number> {
  return (JSON.parse(await cofferPrints(...args, '--json')) as { elapsed_ms: number }).elapsed_ms;
}

const filesOfImport = 60;
/** Each token needs a process; without a pause they would leave no time for imports. */
const tokenPauseMs = 500;
/** The imports need the write lock, too. */
const refreshPauseMs = 10;
const rowCounts = [5, 40, 300] as const;

type Writing = Readonly<Record<'folder' | 'database' | 'url', string>> & {
  readonly synced: Synced;
};

type Writers = ReturnType<typeof startWriters>;
type Acknowledged = ReturnType<Writers['acknowledged']>;

function startWriters({ folder, database, url, synced }: Writing) {
  const { owner, accounts } = synced;
  const ledger = new Ledger();
  const tokens: string[] = [];
  const readings = new Map<number, number>();
  let refreshes = 0;
  const stopping = new AbortController();
  const isStopped = (): boolean => stopping.signal.aborted;
  let running: RunningBatches | undefined;
  const begun = [1, 2, 3].map(() => Promise.withResolvers<unknown>());
  const importOn = async (): Promise<void> => {
    while (!isStopped()) {
      const place = join(folder, `statements-${ledger.sent.size}`);
      mkdirSync(place);
      const batches = Array.from({ length: filesOfImport }, (_, n) =>
        ledger.send(rowCounts[n % rowCounts.length]!),
      );
      running = importBatches(ledger, { folder: place, database, email: owner.email, batches });
      running.begun.then(begun[0]!.resolve, () => undefined);
      await running.done;
    }
  };
  const makeTokens = async (): Promise<void> => {
    while (!isStopped()) {
      tokens.push((await cofferPrints('token', 'create', ...whose(owner, database))).trim());
      begun[1]!.resolve(undefined);
      await sleep(tokenPauseMs);
    }
  };
  const refreshOn = async (index: number): Promise<void> => {
    while (!isStopped()) {
      const { status, text } = await accounts.refresh(url, index);
      // While imports run, a write may get 503.
      if (status !== 200 && status !== 503) throw new Error(`A refresh is ${status}: ${text}`);
      if (status === 200) {
        const { id, reading } = readAccount(text);
        readings.set(id, reading!);
        refreshes += 1;
        if (readings.size === accountCount) begun[2]!.resolve(undefined);
      }
      await sleep(refreshPauseMs);
    }
  };
  const refreshing = Array.from({ length: accountCount }, (_, index) => refreshOn(index));
  const ended = Promise.all([importOn(), makeTokens(), ...refreshing]);
  // `stop` rejects with the error.
  ended.catch(() => undefined);
  return {
    ledger,
    acknowledged: () => ({
      batches: new Set(ledger.acknowledged),
      tokens: [...tokens],
      readings: new Map(readings),
      refreshes,
    }),
    begun: Promise.race([Promise.all(begun.map(({ promise }) => promise)), ended]),
    stop: async () => {
      stopping.abort();
      running?.kill();
      await ended;
    },
  };
}

/** The file must be sound, every batch complete with its sum, and every acknowledged batch present. */
function contentProblems(path: string, ledger: Ledger, before: Acknowledged): string[] {
  const { faults, batches } = inspect(path);
  // In ten-thousandths; expenses are positive.
  const sums = rowsOf<{ payee: string; sum: number }>(
    path,
    'SELECT payee, sum(amount) AS sum FROM transactions GROUP BY payee',
  );
  const wrong = sums.filter(({ payee, sum }) => {
    const rows = batches.get(batchOf(payee) ?? 0) ?? 0;
    return sum !== (rows * (rows + 1) * 10_000) / 2;
  });
  return [
    ...faults,
    ...lossProblems(ledger.compare(batches, before.batches), 'batches'),
    ...counted(wrong.length, 'batches have a wrong sum'),
  ];
}

/** Rows are only added, so each row of a restored file must be in the original. */
function strangers(database: string, restored: readonly string[]): string[] {
  const columns = 'id, book_id, date, amount, to_base, payee, manual_account_id, created_at';
  const textsOf = (path: string): string[] =>
    rowsOf(path, `SELECT ${columns} FROM transactions`).map((row) => JSON.stringify(row));
  const all = new Set(textsOf(database));
  return restored.flatMap((path, index) => {
    const unknown = textsOf(path).filter((row) => !all.has(row));
    return counted(unknown.length, `rows of drill ${index + 1} were never written`);
  });
}

/** A server on the restored file must accept all tokens, return all readings, and refresh every account. */
function answerProblems(
  database: string,
  { owner: { token }, serve }: Synced,
  { tokens, readings }: Acknowledged,
): Promise<string[]> {
  const work = async ({ url }: { readonly url: string }): Promise<string[]> => {
    const asked = tokens.map((each) => ask(`${url}/v2/me`, { token: each, from: newAddress() }));
    const refused = (await Promise.all(asked)).filter(({ status }) => status !== 200);
    const problems = counted(refused.length, `of ${tokens.length} tokens do not work`);
    // The stored reading must be complete and current; then the account is refreshed with the restored credentials.
    for (const [id, acknowledged] of readings)
      for (const [what, method, path] of [
        ['has', 'GET', `/v2/crypto/synced/${id}`],
        ['when it is refreshed has', 'POST', `/v2/crypto/synced/${id}/refresh`],
      ] as const) {
        const answer = await ask(url + path, { method, token, from: newAddress() });
        const reading = answer.status === 200 ? readAccount(answer.text).reading : null;
        if (reading === null)
          problems.push(`account ${id} ${what} no complete reading: ${answer.text.slice(0, 200)}`);
        else if (reading < acknowledged)
          problems.push(`account ${id} ${what} reading ${reading} after ${acknowledged}`);
      }
    return problems;
  };
  return serve(work, { database, flags: ['--log-level', 'silent'] });
}

function rowsOf<T>(path: string, statement: string): T[] {
  return readFile(path, (database) => database.prepare<[], T>(statement).all());
}

async function killRestores(
  folder: string,
  { backup, before }: Readonly<Record<'backup' | 'before', string>>,
  kills: number,
): Promise<KilledStates> {
  // Every restore generates a new identity.
  const all = Object.entries(columnsOf(before));
  const columns = Object.fromEntries(all.filter(([table]) => table !== 'database_identity'));
  const states = { columns, before: digest(before, columns), after: digest(backup, columns) };
  const args = (path: string): string[] => [
    'restore',
    backup,
    '--replace',
    '--database',
    `sqlite:${path}`,
  ];
  const known = [before, backup].map(identityOf);
  const between = [0, 1.6] as const;
  const command = { name: 'restore', folder, before, args, between, isRepeatable: true };
  return killBetween(command, kills, states, (place, isAfter) => {
    const wrong = isAfter ? asideProblems(place) : [];
    const isDrawn = !known.includes(identityOf(join(place, 'coffer.db')));
    return isDrawn === isAfter ? wrong : [...wrong, 'the identity does not match the database'];
  });

  /** The replaced database must exist under its new name, and only under that. */
  function asideProblems(place: string): string[] {
    const [aside] = readdirSync(place).filter((name) => name.startsWith('coffer.db.replaced-'));
    if (aside === undefined) return ['the old database is missing'];
    if (statSync(join(place, aside)).nlink !== 1) return ['the old database has two names'];
    return differences(states.before, digest(join(place, aside), columns));
  }
}

function identityOf(path: string): string | undefined {
  const identity = "SELECT value FROM database_identity WHERE name = 'id'";
  return readFile(path, (database) => database.prepare<[], string>(identity).pluck().get());
}
