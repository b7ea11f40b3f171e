import { createClient, type Fetch } from '../../packages/client/src/index.ts';
import { exportBook } from '../../packages/server/src/exports/lists/export.ts';
import { exportedTransactions } from '../../packages/server/src/exports/lists/testing/exported.ts';
import { useStore } from '../../test/service/owners.ts';
import type { Check, Outcome } from '../run/check.ts';
import { runProgram } from '../../test/service/coffer.ts';
import { withServer, type Served } from '../../test/service/server-process.ts';
import { entryOf, importInto } from '../../test/service/imported.ts';

const rowsPerPage = 3;
const clients = 3;

export const check: Check = {
  id: 'F29',
  rounds: { short: 60, full: 300 },
  run: async (pages) => {
    const isShort = pages < 300;
    const flags = ['--rate-limit', isShort ? '20/1s' : '100/5s'];
    // Two servers, because every process of this machine is the same client to a server.
    const [alone, together] = await Promise.all([
      withServer({ flags }, (served) => walkAlone(served, pages)),
      withServer({ flags }, (served) => walkTogether(served, isShort ? pages / clients : pages)),
    ]);
    return {
      figure: `${flags[1]}: alone ${alone.figure}; ${clients} processes ${together.figure}`,
      problems: [...alone.problems, ...together.problems],
    };
  },
};

async function walkAlone(served: Served, pages: number): Promise<Outcome> {
  const expected = await fill(served, pages);
  const report = await walkByClient(served.server.url, served.owner.token, rowsPerPage);
  const problems = faultsOf('The client alone', report, expected, pages);
  if (report.refusals.length > 0) {
    problems.push(`The client alone was refused ${report.refusals.length} times`);
  }
  return { figure: describe([report]), problems };
}

async function walkTogether(served: Served, pages: number): Promise<Outcome> {
  const expected = await fill(served, pages);
  const names = Array.from({ length: clients }, (_, n) => `Client ${n + 1} of ${clients}`);
  const reports = await Promise.all(names.map(() => walkInProcess(served)));
  const problems = reports.flatMap((report, n) => [
    ...faultsOf(names[n]!, report, expected, pages),
    ...report.refusals
      .filter((reset, place, all) => all.indexOf(reset) !== place)
      .map((reset) => `${names[n]} was refused again in the window that ends at ${reset}`),
  ]);
  return { figure: describe(reports), problems };
}

async function walkInProcess({ server, owner }: Served): Promise<WalkReport> {
  const args = [server.url, owner.token, String(rowsPerPage)];
  const { code, stdout, stderr } = await runProgram([
    process.execPath,
    import.meta.filename,
    ...args,
  ]);
  if (code !== 0) throw new Error(`A walk ended with ${code}: ${stderr}`);
  return JSON.parse(stdout) as WalkReport;
}

async function fill({ database, owner }: Served, pages: number): Promise<number[]> {
  const entries = Array.from({ length: pages * rowsPerPage - 1 }, (_, place) =>
    entryOf({
      line: place + 1,
      date: `2025-0${1 + (place % 9)}-${10 + (place % 13)}`,
      amount: -(place + 1) * 100,
      payee: `Payee ${place}`,
    }),
  );
  return await useStore(database, async (store) => {
    await importInto(store, owner.bookId, entries);
    const rows = await exportedTransactions(await exportBook(store, owner.bookId));
    rows.sort((a, b) => b.date.localeCompare(a.date) || b.id - a.id);
    return rows.map(({ id }) => id);
  });
}

function faultsOf(
  who: string,
  { ids, requests, refusals }: WalkReport,
  expected: readonly number[],
  pages: number,
): string[] {
  const problems: string[] = [];
  const asked = requests - refusals.length;
  if (asked !== pages) problems.push(`${who} requested ${asked} of ${pages} pages`);
  if (ids.join() !== expected.join()) problems.push(`${who} got wrong rows`);
  return problems;
}

function describe(reports: readonly WalkReport[]): string {
  const sum = (of: (report: WalkReport) => number): number =>
    reports.map(of).reduce((a, b) => a + b, 0);
  const seconds = Math.max(...reports.map(({ elapsedMs }) => elapsedMs)) / 1000;
  const refusals = sum((report) => report.refusals.length);
  return `${sum((report) => report.requests)} requests in ${seconds.toFixed(1)} s, ${refusals} refused`;
}

interface WalkReport {
  readonly ids: readonly number[];
  readonly requests: number;
  /** The reset of each 429; a window has one reset. */
  readonly refusals: readonly string[];
  readonly elapsedMs: number;
}

async function walkByClient(url: string, token: string, limit: number): Promise<WalkReport> {
  const startedAtMs = performance.now();
  const refusals: string[] = [];
  let requests = 0;
  const counting: Fetch = async (address, init) => {
    const response = await fetch(address, init);
    requests += 1;
    if (response.status === 429) refusals.push(response.headers.get('ratelimit-reset') ?? 'none');
    return response;
  };
  const client = createClient({ baseUrl: url, token, fetch: counting });
  const ids: number[] = [];
  for await (const { id } of client.transactions.list({ limit })) ids.push(id);
  return { ids, requests, refusals, elapsedMs: Math.round(performance.now() - startedAtMs) };
}

// Run as a program, so that it shares nothing with other clients: `f29-client.ts URL TOKEN LIMIT` prints a report.
if (import.meta.main) {
  const [url = '', token = '', limit = ''] = process.argv.slice(2);
  const deadline = setTimeout(() => process.exit(3), 240_000);
  process.stdout.write(JSON.stringify(await walkByClient(url, token, Number(limit))));
  clearTimeout(deadline);
}
