import { join } from 'node:path';
import { changing } from '../packages/server/src/book/change.ts';
import { select } from '../packages/server/src/db/rows.ts';
import { manualAccounts } from '../packages/server/src/db/tables/tables.ts';
import { followAll } from '../packages/server/src/db/follow-search.ts';
import type { Engine } from '../packages/server/src/db/engine.ts';
import { accountWith, historyOf } from '../packages/server/src/ledger/accounts/account-proof.ts';
import { putAnchor } from '../packages/server/src/ledger/accounts/anchors.ts';
import { benchEntries } from './measure/book.ts';
import { startCoffer, startServer, type ServerProcess } from './measure/child.ts';
import type { PartPlan } from './measure/plan.ts';
import { measureInTurns, perRequest, type Measure } from './measure/turns.ts';
import { importRows, openBook, savePage } from './measure/workspace.ts';
import type { Figure } from './report/figure.ts';

/** Milliseconds of a processor. */
const goal = 10;
/** Transactions of a register page. */
const limit = 100;

/**
 * Measures the proof and a page of the register of one account that has all transactions of a large book, and a balance
 * for each month. The unit is processor time of the server. The ceiling of each is a bare server that sends the same
 * bytes in the same run. A page of the register is two requests: transactions, and the balances of their days.
 */
export async function measureProofs({ folder, rows }: PartPlan): Promise<Figure[]> {
  const url = `sqlite:${join(folder, 'proofs.db')}`;
  const { engine, book, token } = await openBook(url);
  await importRows(engine, book, ofOneAccount(rows));
  const id = await addBalances(engine, book.id);
  // The job of the server would do it while requests are measured.
  await followAll(engine, book.id);
  await engine.close();
  const coffer = await startCoffer(url);
  const paths = {
    proof: `/coffer/accounts/${id}/proof`,
    transactions: `/v2/transactions?manual_account_id=${id}&limit=${limit}`,
    days: `/coffer/accounts/${id}/days?start_date=2025-11-20&end_date=2025-12-28`,
  };
  const ceilings: ServerProcess[] = [];
  const targets: Record<string, Measure> = {};
  for (const [name, path] of Object.entries(paths)) {
    const saved = await savePage(folder, { port: coffer.port, token }, path);
    const ceiling = await startServer('ceiling.ts', { BENCH_PAGE: saved });
    ceilings.push(ceiling);
    targets[`${name} ceiling`] = perRequest({
      server: ceiling,
      token,
      paths: ['/'],
      requests: 500,
    });
    targets[name] = perRequest({ server: coffer, token, paths: [path], requests: 300 });
  }
  const measured = await measureInTurns({ '': () => all(targets) }, { warmUps: 2 });
  await Promise.all([coffer, ...ceilings].map((server) => server.stop()));
  return ['proof', 'register page'].flatMap((name) => [
    measured.times(`${name} against the ceiling`, name, `${name} ceiling`),
    ...measured
      .medians(`${name}: `, 'ms', { atMost: goal })
      .filter((each) => each.name === `${name}: ${name}`),
  ]);
}

/** Measures each target, and adds up what a page of the register needs. */
async function all(targets: Readonly<Record<string, Measure>>): Promise<Record<string, number>> {
  const costs: Record<string, number> = {};
  for (const [name, measure] of Object.entries(targets)) costs[name] = await measure();
  const sumOf = (end: string): number => costs[`transactions${end}`]! + costs[`days${end}`]!;
  return { ...costs, 'register page': sumOf(''), 'register page ceiling': sumOf(' ceiling') };
}

function* ofOneAccount(rows: number) {
  for (const entry of benchEntries(rows)) yield { ...entry, account: 'Checking' };
}

/** Adds the balance of the last day of each month that has transactions, and returns the account. */
async function addBalances(engine: Engine, bookId: number): Promise<number> {
  const [{ id } = { id: 0 }] = await engine.read(() => select(manualAccounts, { book_id: bookId }));
  const cause = { bookId, actor: 'bench', operation: 'bench' };
  await engine.write(() =>
    changing(cause, function* (change) {
      const account = yield* accountWith(bookId, 'manual', id);
      const { days } = yield* historyOf(account);
      let balance = 0;
      for (const [at, { date, sum }] of days.entries()) {
        balance += Number(sum);
        if (days[at + 1]?.date.slice(0, 7) === date.slice(0, 7)) continue;
        yield* putAnchor(change, account, { day: date, source: 'user', balance });
      }
    }),
  );
  return id;
}
