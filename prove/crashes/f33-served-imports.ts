import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { select } from '../../packages/server/src/db/rows.ts';
import { importPreviews, transactions } from '../../packages/server/src/db/tables/tables.ts';
import { ask, askJson, type Answer, type Question } from '../../test/service/ask.ts';
import { addOwner, inFolder, useStore, type Owner } from '../../test/service/owners.ts';
import { useServer, type ServerProcess } from '../../test/service/server-process.ts';
import { onCopy } from '../database/killed-commands.ts';
import { acceptedMs, joined, named, timed, type Check } from '../run/check.ts';
import { DatabaseResponses, repeatUntil } from '../run/database-responses.ts';
import { inspect } from '../run/ledger.ts';
import { readSteadily } from '../run/paced-reads.ts';

const fileRows = { short: 2_000, full: 100_000 };
const slowestReadMs = 100;
const aloneMs = 2000;
const writerPauseMs = 50;
const mostStopMs = 10_000;
const endedRows = 5_000;
/** The server is ended until this share of the undisturbed duration of the import. */
const lastShare = 1.2;
const pollMs = 50;
const mostWaitMs = 300_000;
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
  const file = previewedFile(server, owner);
  await file.preview(rows);
  expect('the preview', (await file.shown()).preview?.imported ?? 0);
  const done = await file.commit();
  expect('the import', done.status === 'imported' ? done.imported : 0);
  const { status, work } = await file.undo();
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
  const on = <T>(database: string, work: (file: PreviewedFile) => Promise<T>): Promise<T> =>
    useServer({ database, flags }, async (server) => {
      const result = await work(previewedFile(server, owner, id));
      await server.end('SIGTERM');
      return result;
    });
  let id = 0;
  id = await on(path, async (file) => {
    await file.preview(endedRows);
    return file.id;
  });
  const [wholeMs] = await onCopy(folder, path, (copy) =>
    on(copy, (file) => timed(() => file.commit())),
  );
  const found = { absent: 0, complete: 0 };
  const problems: string[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const signal = round % 2 === 0 ? 'SIGTERM' : 'SIGKILL';
    const afterMs = (wholeMs * lastShare * round) / rounds;
    const wrong = await onCopy(folder, path, async (copy) => {
      const ended = await useServer({ database: copy, flags }, async (server) => {
        await previewedFile(server, owner, id).startCommit();
        await sleep(afterMs);
        return endProblems(server, signal);
      });
      const rows = await countRows(copy, owner);
      const isComplete = rows === endedRows;
      found[isComplete ? 'complete' : 'absent'] += 1;
      const partial = [0, endedRows].includes(rows) ? [] : [`it left ${rows} rows`];
      const { faults } = inspect(copy);
      const again = await on(copy, (file) => repeatProblems(file, isComplete));
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

async function repeatProblems(file: PreviewedFile, isComplete: boolean): Promise<string[]> {
  const { status, preview } = await file.shown();
  const shown = `${status}, ${preview?.status ?? 'no preview'}`;
  const expected = isComplete ? 'imported, no preview' : 'preview, ready';
  if (!isComplete) await file.commit();
  return shown === expected ? [] : [`it is ${shown} instead of ${expected}`];
}

interface ShownImport {
  readonly status: 'imported' | 'undone' | 'preview';
  readonly imported: number;
  readonly work: { readonly is_under_way: boolean; readonly errors: readonly object[] } | null;
  readonly preview: { readonly status: string; readonly imported: number } | null;
}

type PreviewedFile = ReturnType<typeof previewedFile>;

function previewedFile({ url }: ServerProcess, { token }: Owner, id = 0) {
  /** A write that the database refuses for now is repeated. */
  const send = async (method: string, path: string, more: Question = {}): Promise<Answer> => {
    for (;;) {
      const answer = await ask(`${url}/coffer/imports${path}`, { method, token, ...more });
      if ([200, 201, 202].includes(answer.status)) return answer;
      if (answer.status !== 503)
        throw new Error(`${method} ${path} returned ${answer.status}: ${answer.text}`);
      await sleep(pollMs);
    }
  };
  const shown = async () => JSON.parse((await send('GET', `/${file.id}`)).text) as ShownImport;
  const until = async (isWanted: (shown: ShownImport) => boolean): Promise<ShownImport> => {
    const endMs = performance.now() + mostWaitMs;
    for (let found = await shown(); ; found = await shown()) {
      if (isWanted(found)) return found;
      if (performance.now() > endMs)
        throw new Error(`Import ${file.id} stays ${JSON.stringify(found).slice(0, 500)}`);
      await sleep(pollMs);
    }
  };
  const startCommit = () => send('POST', `/${file.id}/commit`, { headers: json, body: '{}' });
  const file = {
    id,
    shown,
    startCommit,
    preview: async (rows: number): Promise<void> => {
      const headers = { 'content-type': 'text/csv' };
      const { text } = await send('POST', '', { headers, body: csvOf(rows) });
      file.id = (JSON.parse(text) as { id: number }).id;
      await until(({ preview }) => preview?.status !== 'reading');
    },
    commit: async (): Promise<ShownImport> => {
      await startCommit();
      return until(({ preview }) => preview?.status !== 'committing');
    },
    undo: async (): Promise<ShownImport> => {
      await send('POST', `/${file.id}/undo`);
      return until(({ work }) => work?.is_under_way !== true);
    },
  };
  return file;
}

const json = { 'content-type': 'application/json' };

function csvOf(rows: number): Buffer {
  const lines = Array.from({ length: rows }, (_, n) => {
    const date = new Date(Date.UTC(2015, 0, 1 + Math.floor(n / 40))).toISOString().slice(0, 10);
    const account = n % 3 === 0 ? 'Card' : 'Checking';
    return `${date},-${1 + (n % 90)}.50,Shop ${n % 17},${account},Category ${n % 5}`;
  });
  return Buffer.from(`Date,Amount,Payee,Account,Category\n${lines.join('\n')}\n`);
}
