import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { select } from '../../packages/server/src/db/rows.ts';
import { importPreviews, transactions } from '../../packages/server/src/db/tables/tables.ts';
import { askJson } from '../../test/service/ask.ts';
import { addOwner, inFolder, useStore, type Owner } from '../../test/service/owners.ts';
import { useServer, type ServerProcess } from '../../test/service/server-process.ts';
import { onCopy } from '../database/killed-commands.ts';
import { acceptedMs, joined, named, timed, type Check } from '../run/check.ts';
import { DatabaseResponses, repeatUntil } from '../run/database-responses.ts';
import { inspect } from '../run/ledger.ts';
import { readSteadily } from '../run/paced-reads.ts';
import { ServedImports } from '../run/served-imports.ts';

const fileRows = { short: 2_000, full: 100_000 };
const slowestReadMs = 100;
const aloneMs = 2000;
const writerPauseMs = 50;
const mostStopMs = 10_000;
const endedRows = 5_000;
/** The server is ended until this share of the undisturbed duration of the import. */
const lastShare = 1.2;
const flags = ['--rate-limit', '1000000'];
const paths = ['/v2/me', '/v2/transactions?limit=20', '/v2/categories', '/coffer/imports'];

export const check: Check = {
  id: 'F33',
  rounds: { short: 2, full: 100 },
  run: (rounds) =>
    inFolder(async (folder) =>
      joined([await serveWhileImporting(folder, rounds), await endOften(folder, rounds)]),
    ),
};

async function serveWhileImporting(folder: string, rounds: number) {
  const database = join(folder, 'served.db');
  const owner = await useStore(database, (store) => addOwner(store, 'owner'));
  return useServer({ database, flags }, async (server) => {
    const rows = rounds < check.rounds.full ? fileRows.short : fileRows.full;
    const mostMs = acceptedMs(slowestReadMs, check, rounds);
    const problems: string[] = [];
    const [warm, writes] = [new DatabaseResponses(), new DatabaseResponses()];
    await write(server, owner, warm);
    // First use loads code, which has nothing to do with the file.
    await importAndUndo(server, owner, 50, problems);
    const alone = await readBoth(server, owner, sleep(aloneMs));
    const importing = importAndUndo(server, owner, rows, problems);
    const writing = repeatUntil(importing, writerPauseMs, () => write(server, owner, writes));
    const both = await readBoth(server, owner, importing);
    await importing;
    await writing;
    // On a busy machine reads are slow even without an import.
    for (const what of ['reads', 'health'] as const) {
      const [found, before] = [both[what], alone[what]];
      problems.push(...found.failures);
      if (!(found.p99Ms <= Math.max(mostMs, 2 * before.p99Ms)))
        problems.push(`p99 of ${what} is ${found.p99Ms} ms, ${before.p99Ms} ms just before`);
    }
    problems.push(...writes.problems, ...warm.problems);
    if (writes.succeeded === 0) problems.push('no other write was stored');
    const stored = await countRows(database, owner);
    const expected = writes.succeeded + warm.succeeded;
    if (stored !== expected) problems.push(`${stored} rows after the undo instead of ${expected}`);
    const { reads, health } = both;
    const figure =
      `${rows} rows previewed, imported and undone: p99 of ${reads.count} reads ${reads.p99Ms.toFixed(1)} ms ` +
      `(${alone.reads.p99Ms.toFixed(1)} ms without), of /healthz ${health.p99Ms.toFixed(1)} ms ` +
      `(worst ${health.worstMs.toFixed(0)} ms); ` +
      `${writes.succeeded} other writes stored, ${writes.refused} got 503`;
    return { figure, problems };
  });
}

async function readBoth({ url }: ServerProcess, { token }: Owner, until: Promise<unknown>) {
  const [reads, health] = await Promise.all([
    readSteadily(url, token, paths, until),
    readSteadily(url, token, ['/healthz'], until),
  ]);
  return { reads, health };
}

async function importAndUndo(
  server: ServerProcess,
  owner: Owner,
  rows: number,
  problems: string[],
): Promise<void> {
  const expect = (what: string, found: number): void => {
    if (found !== rows) problems.push(`${what} has ${found} of ${rows} rows`);
  };
  const imports = importsOf(server, owner);
  const id = await imports.preview('', csvOf(rows));
  expect('the preview', (await imports.shown(id)).preview?.imported ?? 0);
  const done = await commit(imports, id);
  expect('the import', done.status === 'imported' ? done.imported : 0);
  await imports.send('POST', `/${id}/undo`);
  const { status, work } = await imports.worked(id);
  if (status !== 'undone') problems.push(`the undo left it ${status}: ${JSON.stringify(work)}`);
}

async function write({ url }: ServerProcess, { token }: Owner, answers: DatabaseResponses) {
  const transactions = [{ date: '2026-01-01', amount: '1', payee: 'Other' }];
  await answers.time('a write', () =>
    askJson(`${url}/v2/transactions`, 'POST', token, { transactions }),
  );
}

async function countRows(database: string, { bookId: book_id }: Owner): Promise<number> {
  const rows = await useStore(database, (store) =>
    store.read(() => select(transactions, { book_id })),
  );
  return rows.length;
}

async function endOften(folder: string, rounds: number) {
  const path = join(folder, 'previewed.db');
  const owner = await useStore(path, (store) => addOwner(store, 'owner'));
  const on = <T>(database: string, work: (imports: ServedImports) => Promise<T>): Promise<T> =>
    useServer({ database, flags }, async (server) => {
      const result = await work(importsOf(server, owner));
      await server.end('SIGTERM');
      return result;
    });
  const id = await on(path, (imports) => imports.preview('', csvOf(endedRows)));
  const [wholeMs] = await onCopy(folder, path, (copy) =>
    on(copy, (imports) => timed(() => commit(imports, id))),
  );
  const found = { absent: 0, complete: 0 };
  const problems: string[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const signal = round % 2 === 0 ? 'SIGTERM' : 'SIGKILL';
    const afterMs = (wholeMs * lastShare * round) / rounds;
    const wrong = await onCopy(folder, path, async (copy) => {
      const ended = await useServer({ database: copy, flags }, async (server) => {
        await importsOf(server, owner).startCommit(id);
        await sleep(afterMs);
        return endProblems(server, signal);
      });
      const rows = await countRows(copy, owner);
      const isComplete = rows === endedRows;
      found[isComplete ? 'complete' : 'absent'] += 1;
      const partial = [0, endedRows].includes(rows) ? [] : [`it left ${rows} rows`];
      const { faults } = inspect(copy);
      const again = await on(copy, (imports) => repeatProblems(imports, id, isComplete));
      const left = await useStore(copy, (store) => store.read(() => select(importPreviews, {})));
      const after = await countRows(copy, owner);
      return [
        ...ended,
        ...faults,
        ...partial,
        ...again,
        ...(after === endedRows ? [] : [`repeated, it left ${after} of ${endedRows} rows`]),
        ...(left.length > 0 ? ['its preview is left'] : []),
      ];
    });
    problems.push(...named(`round ${round}, ${signal} after ${Math.round(afterMs)} ms`, wrong));
  }
  const figure =
    `${rounds} servers ended during an import of ${endedRows} rows: ` +
    `${found.absent} absent, ${found.complete} complete`;
  return { figure, problems };
}

async function endProblems(server: ServerProcess, signal: NodeJS.Signals): Promise<string[]> {
  const [stopMs, code] = await timed(() => server.end(signal));
  if (signal === 'SIGKILL') return [];
  const wrong = code === 0 ? [] : [`the server ended with ${code}: ${server.log()}`];
  if (stopMs > mostStopMs) wrong.push(`the server took ${Math.round(stopMs)} ms to end`);
  return wrong;
}

async function repeatProblems(
  imports: ServedImports,
  id: number,
  isComplete: boolean,
): Promise<string[]> {
  const { status, preview } = await imports.shown(id);
  const shown = `${status}, ${preview?.status ?? 'no preview'}`;
  const expected = isComplete ? 'imported, no preview' : 'preview, ready';
  if (!isComplete) await commit(imports, id);
  return shown === expected ? [] : [`it is ${shown} instead of ${expected}`];
}

/** A write that the database refuses for now is repeated. */
const importsOf = (server: ServerProcess, owner: Owner): ServedImports =>
  new ServedImports({ server: () => server, owner, expected: [200, 201, 202], again: [503] });

async function commit(imports: ServedImports, id: number) {
  await imports.startCommit(id);
  return imports.committed(id);
}

function csvOf(rows: number) {
  const lines = Array.from({ length: rows }, (_, n) => {
    const date = new Date(Date.UTC(2015, 0, 1 + Math.floor(n / 40))).toISOString().slice(0, 10);
    const account = n % 3 === 0 ? 'Card' : 'Checking';
    return `${date},-${1 + (n % 90)}.50,Shop ${n % 17},${account},Category ${n % 5}`;
  });
  const body = `Date,Amount,Payee,Account,Category\n${lines.join('\n')}\n`;
  return { headers: { 'content-type': 'text/csv' }, body };
}
