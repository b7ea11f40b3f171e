import { setTimeout as sleep } from 'node:timers/promises';
import sql from 'sql-template-tag';
import { rows, type Engine } from '../../packages/server/src/db/engine.ts';
import { openDatabase } from '../../packages/server/src/database.ts';
import { parseDatabase } from '../../packages/server/src/config.ts';
import { ask } from '../../test/service/ask.ts';
import { addOwner, databaseUrl, useStore, type Owner } from '../../test/service/owners.ts';
import { joined, named, type Check, type Outcome } from '../run/check.ts';
import { repeatUntil } from '../run/database-responses.ts';
import { onEachEngine, type EngineName } from '../run/engines.ts';
import { entryOf, importInto } from '../../test/service/imported.ts';
import { useServer } from '../../test/service/server-process.ts';

const writerCount = 9;
/** The clocks of the writers differ by a minute each, up to four minutes from the real time. */
const skewMs = 60_000;
/** Writers of SQLite block this process while they write; the client polls during the pauses. */
const pauseMs = 20;

export const check: Check = {
  id: 'F31',
  needs: ['postgres'],
  rounds: { short: 15, full: 360 },
  async run(changes) {
    const polled = await onEachEngine((engine, database) => poll(engine, database, changes));
    const { figure, problems } = joined(polled);
    return { figure: `${writerCount} writers; ${figure}`, problems };
  },
};

async function poll(name: EngineName, database: string, changes: number): Promise<Outcome> {
  const owner = await useStore(database, (engine) => addOwner(engine, 'owner'));
  return useServer({ database, flags: ['--rate-limit', '1000000000/24h'] }, async ({ url }) => {
    const nodes = await openNodes(database);
    const client = startPolling(url, owner);
    try {
      const writing = nodes.map((node, n) => write(node, owner.bookId, n, changes / writerCount));
      const written = Promise.all(writing);
      await repeatUntil(written, 0, () => client.poll());
      const payees = (await written).flat();
      await client.poll();
      const missed = payees.filter((payee) => !client.seen.has(payee));
      const problems = missed.map((payee) => `the client missed "${payee}"`);
      problems.push(...(await versionProblems(nodes[0]!, owner.bookId, payees.length)));
      const figure = `${name}: ${payees.length} changes, ${client.polls} polls, ${missed.length} missed`;
      return { figure, problems: named(name, problems) };
    } finally {
      for (const node of nodes) await node.close();
    }
  });
}

async function openNodes(database: string): Promise<Engine[]> {
  const nodes: Engine[] = [];
  for (let n = 0; n < writerCount; n += 1) {
    const aheadMs = (n - (writerCount - 1) / 2) * skewMs;
    const now = (): number => Date.now() + aheadMs;
    nodes.push(await openDatabase(parseDatabase(databaseUrl(database)), { now }));
  }
  return nodes;
}

async function write(node: Engine, bookId: number, n: number, count: number): Promise<string[]> {
  const payees = Array.from({ length: count }, (_, at) => `Writer ${n}, change ${at}`);
  for (const payee of payees) {
    await importInto(node, bookId, [entryOf({ line: 1, date: '2024-01-31', amount: -1, payee })]);
    await sleep(pauseMs);
  }
  return payees;
}

function startPolling(url: string, { token }: Owner) {
  let newest = '1970-01-01T00:00:00.000Z';
  const seen = new Set<string>();
  const client = {
    seen,
    polls: 0,
    poll: async (): Promise<void> => {
      client.polls += 1;
      const target = `${url}/v2/transactions?limit=2000&updated_since=${newest}`;
      const { status, text } = await ask(target, { token });
      if (status !== 200) throw new Error(`GET ${target} returned ${status}: ${text}`);
      const { transactions } = JSON.parse(text) as {
        transactions: { payee: string; updated_at: string }[];
      };
      for (const { payee, updated_at } of transactions) {
        seen.add(payee);
        if (updated_at > newest) newest = updated_at;
      }
    },
  };
  return client;
}

/** Versions follow each other without a gap, one for each change, and each has a later time than the one before. */
async function versionProblems(engine: Engine, bookId: number, changes: number): Promise<string[]> {
  const logged = await engine.read(() =>
    rows<{ version: number; at: string }>(
      sql`SELECT version, at FROM changes WHERE book_id = ${bookId} ORDER BY version`,
    ),
  );
  const problems = logged.flatMap(({ version, at }, index) => {
    const before = logged[index - 1];
    if (before === undefined) return [];
    const isNext = version === before.version + 1 && at > before.at;
    return isNext ? [] : [`version ${version} at ${at} follows ${before.version} at ${before.at}`];
  });
  if (logged.length !== changes) problems.push(`${logged.length} versions for ${changes} changes`);
  return problems;
}
