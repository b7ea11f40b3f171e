import { join } from 'node:path';
import { ask } from './ask.ts';
import { addOwner, inFolder, useStore } from './book.ts';
import { countCalls, faultInjector } from './disk-faults.ts';
import { callsOfStart } from './faulty-server.ts';
import type { FaultyRun } from './faulty-writer.ts';
import { startTracedServer } from './traced-server.ts';
import { WriteAnswers } from './write-answers.ts';

const calls = 'pread64';
const rowCount = 200;
const reads = 6;

/**
 * Reads from a server while one read of its disk fails, `later` calls after its start. Each answer is whole or a
 * refusal, and the next request is served by the same process.
 */
export function readFromFaultyDisk(later: number): Promise<FaultyRun> {
  return inFolder(async (folder) => {
    const database = join(folder, 'coffer.db');
    const owner = await useStore(database, async (store) => {
      const made = await addOwner(store, 'owner');
      const entries = Array.from({ length: rowCount }, (_, index) => entryOf(index + 1));
      const plan = { entries: () => entries, defaultAccount: 'Cash', nowIso, dryRun: false };
      await store.importEntries(made.bookId, plan);
      return made;
    });
    const prefix = join(folder, 'calls');
    const first = (await callsOfStart(calls)) + later;
    const server = await startTracedServer({
      database,
      flags: ['--rate-limit', '1000000'],
      runner: faultInjector({ calls, first }, prefix),
    });
    const answers = new WriteAnswers();
    const problems: string[] = [];
    let isAfterRefusal = false;
    try {
      for (let n = 0; n < reads; n += 1) {
        const path = `/v2/transactions?limit=${rowCount}`;
        const answer = await ask(server.url + path, { token: owner.token });
        answers.add(answer);
        if (answer.status === 200 && rowsIn(answer.text) !== rowCount)
          problems.push(`read ${n + 1} has ${rowsIn(answer.text)} rows`);
        if (isAfterRefusal && answer.status !== 200)
          problems.push(`read ${n + 1} meets no fault and is answered with ${answer.status}`);
        isAfterRefusal = answer.status !== 200;
      }
    } finally {
      await server.end('SIGKILL');
    }
    const { made, failed } = countCalls(prefix);
    if (failed === 0) problems.push(`no call failed among ${made}`);
    return {
      faults: failed,
      acknowledged: 0,
      problems: [...problems, ...answers.problems].map((problem) => `reads, ${later}: ${problem}`),
    };
  });
}

const nowIso = '2026-01-01T00:00:00.000Z';

function entryOf(line: number) {
  const text = { currency: null, payee: 'Shop', notes: 'n'.repeat(300), category: null };
  return { line, date: '2024-01-15', amount: -line, ...text, account: null, externalId: null };
}

function rowsIn(text: string): number {
  return (JSON.parse(text) as { transactions: unknown[] }).transactions.length;
}
