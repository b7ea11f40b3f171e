import { createHash } from 'node:crypto';
import { findBooks } from '../packages/server/src/identity/users/actions.ts';
import { openDatabase } from '../packages/server/src/database.ts';
import { parseDatabase } from '../packages/server/src/config.ts';
import type { Engine } from '../packages/server/src/db/engine.ts';
import type { TransactionPage } from '../packages/server/src/pages/filter.ts';
import { listTransactions } from '../packages/server/src/pages/pages.ts';
import { RememberedKeys } from '../packages/server/src/pages/remembered-keys.ts';
import { firstPage, list } from './measure/book.ts';
import { startCoffer, type ServerProcess } from './measure/child.ts';
import { onPostgres, settle } from './measure/engines.ts';
import type { PartPlan } from './measure/plan.ts';
import { cpuMs, processorTimeMs } from './measure/processor-time.ts';
import { measureInTurns, perRequest, type Measure, type Samples } from './measure/turns.ts';
import { benchClock, importRows, openBook } from './measure/workspace.ts';
import type { Figure } from './report/figure.ts';

/** These pages take most of a second; processor time is measured in units of 10 ms. */
const requests = 300;

interface Subject {
  readonly engine: Engine;
  readonly bookId: number;
  readonly token: string;
  readonly serverPid: number | null;
}

/**
 * Compares PostgreSQL with SQLite: an import of the same book, every page byte by byte, and the processor time of a
 * page in Coffer and all processes of the database server together.
 */
export async function measurePostgres({ workspace, rows }: PartPlan): Promise<Figure[]> {
  const figures = await onPostgres(async (server, serverPid) => {
    const url = await server.newDatabase();
    const sqlite = await openDatabase(parseDatabase(workspace.databaseUrl));
    const { engine, book, token } = await openBook(url, 0, benchClock);
    try {
      const imported = await measureImport(engine, book, serverPid, rows, workspace.importMs);
      const [own] = await sqlite.readStatement(() => findBooks('bench@example.com'));
      const subjects: readonly [Subject, Subject] = [
        { engine: sqlite, bookId: own!.id, token: workspace.token, serverPid: null },
        { engine, bookId: book.id, token, serverPid },
      ];
      const walked = await compareWalks(subjects, rows);
      await settle(url);
      const servers = [await startCoffer(workspace.databaseUrl), await startCoffer(url)] as const;
      try {
        const depth = Math.floor((rows * 9) / 10);
        return [...imported, walked, ...(await measurePages(subjects, servers, depth))];
      } finally {
        await Promise.all(servers.map((each) => each.stop()));
      }
    } finally {
      await Promise.all([sqlite.close(), engine.close()]);
    }
  });
  if (figures === null) console.log('  PostgreSQL is not measured: missing: postgres on Linux');
  return figures ?? [];
}

async function measureImport(
  engine: Engine,
  book: { readonly id: number },
  serverPid: number,
  rows: number,
  sqliteMs: number,
): Promise<Figure[]> {
  const serverBefore = processorTimeMs(serverPid);
  const startedMs = performance.now();
  const clientMs = await cpuMs(() => importRows(engine, book, rows));
  const wallMs = performance.now() - startedMs;
  const serverMs = processorTimeMs(serverPid) - serverBefore;
  const detail = (of: string, ms: number): Figure => {
    const name = `PostgreSQL: processor time of an import, ${of}`;
    return { name, value: (ms / rows) * 1000, unit: 'us a row', isDetail: true };
  };
  const perSecond = (rows / wallMs) * 1000;
  return [
    { name: 'PostgreSQL: import', value: perSecond, unit: 'rows a second', atLeast: 10_000 },
    { name: 'PostgreSQL: import against SQLite', value: wallMs / sqliteMs, unit: 'times' },
    detail('Coffer', clientMs),
    detail('server', serverMs),
  ];
}

async function compareWalks(subjects: readonly [Subject, Subject], rows: number): Promise<Figure> {
  const [sqlite, postgres] = [await walk(subjects[0]), await walk(subjects[1])];
  const pages = Math.max(sqlite.length, postgres.length);
  if (sqlite.length !== Math.ceil(rows / firstPage.limit))
    throw new Error(`The walk has ${sqlite.length} pages`);
  const differing = Array.from({ length: pages }).filter(
    (_, page) => sqlite[page] !== postgres[page],
  );
  const name = 'PostgreSQL: pages that differ from SQLite’s';
  return { name, value: differing.length, unit: `of ${pages}`, atMost: 0 };
}

async function walk(subject: Subject): Promise<string[]> {
  const digests: string[] = [];
  for (let offset = 0, isMore = true; isMore; offset += firstPage.limit) {
    const { json, hasMore } = await readPage(subject, offset);
    digests.push(`${createHash('sha256').update(json).digest('hex')} ${hasMore}`);
    isMore = hasMore;
  }
  return digests;
}

/** Lists without filters need no remembered keys. */
const unremembered = new RememberedKeys(0);
function readPage({ engine, bookId }: Subject, offset: number): Promise<TransactionPage> {
  const query = { ...firstPage, offset };
  return engine.read(() => listTransactions(bookId, query, unremembered));
}

/** Measures pages of both engines in turn: from the store in this process, and over HTTP from another process. */
async function measurePages(
  subjects: readonly [Subject, Subject],
  servers: readonly [ServerProcess, ServerProcess],
  depth: number,
): Promise<Figure[]> {
  const fromStore = (at: 0 | 1, offset: number): Measure => {
    const read = async (): Promise<void> => {
      for (let request = 0; request < requests; request += 1) await readPage(subjects[at], offset);
    };
    return async () => (await cpuMs(read, subjects[at].serverPid)) / requests;
  };
  const overHttp = (at: 0 | 1, offset: number, limit: number): Measure => {
    const { token, serverPid: databasePid } = subjects[at];
    const paths = [list(limit, offset)];
    return perRequest({ server: servers[at], token, paths, requests, databasePid });
  };
  return figuresOf(
    await measureInTurns({
      'store SQLite': fromStore(0, 0),
      'store PostgreSQL': fromStore(1, 0),
      'store PostgreSQL deep': fromStore(1, depth),
      'HTTP SQLite': overHttp(0, 0, 1000),
      'HTTP PostgreSQL': overHttp(1, 0, 1000),
      'HTTP PostgreSQL deep': overHttp(1, depth, 1000),
      'HTTP SQLite 100': overHttp(0, 0, 100),
      'HTTP PostgreSQL 100': overHttp(1, 0, 100),
    }),
  );
}

function figuresOf(samples: Samples): Figure[] {
  const ratio = (name: string, above: string, below: string, atMost: number): Figure =>
    samples.times(`PostgreSQL: ${name}`, above, below, { atMost });
  const [deep, deepHttp] = ['store PostgreSQL deep', 'HTTP PostgreSQL deep'] as const;
  return [
    ratio('page against SQLite’s, from the store', 'store PostgreSQL', 'store SQLite', 6),
    ratio('page against SQLite’s, over HTTP', 'HTTP PostgreSQL', 'HTTP SQLite', 6),
    ratio('page of 100 against SQLite’s, over HTTP', 'HTTP PostgreSQL 100', 'HTTP SQLite 100', 6),
    ratio('page at depth against page at 0, from the store', deep, 'store PostgreSQL', 1.3),
    ratio('page at depth against page at 0, over HTTP', deepHttp, 'HTTP PostgreSQL', 1.3),
    ...samples.medians('PostgreSQL and SQLite: processor time, ', 'ms a page', { isDetail: true }),
  ];
}
