import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { frequentWords, list } from '../measure/book.ts';
import { startCoffer, startServer, usualCacheMB, cpuOf } from '../measure/child.ts';
import type { ServerProcess } from '../measure/child.ts';
import { coffer } from '../measure/command.ts';
import { onBothEngines, settle } from '../measure/engines.ts';
import { runLoad } from '../measure/load.ts';
import type { PartPlan } from '../measure/plan.ts';
import { overHttp, writesOf } from '../measure/requests.ts';
import { measureInTurns, perRequest, type Measure, type Samples } from '../measure/turns.ts';
import { fillBook, savePage } from '../measure/workspace.ts';
import type { Figure } from '../report/figure.ts';

/** Large enough for deep pages; nothing here depends on the size. */
const rows = 100_000;
const gzip = { headers: ['Accept-Encoding: gzip'] };

/** Measures the processor time of usual requests, in turn with a bare Node server that sends the same bytes. */
export async function measureRequests({ folder, against }: PartPlan): Promise<Figure[]> {
  if (against !== null) return measureAgainst(folder, await loadCheckout(against), rows);
  const servers: ServerProcess[] = [];
  const kept = async (starting: Promise<ServerProcess>): Promise<ServerProcess> => {
    const server = await starting;
    servers.push(server);
    return server;
  };
  try {
    return [...(await measure(folder, kept)), await measureDemoPage(folder)];
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}

async function measure(
  folder: string,
  kept: (starting: Promise<ServerProcess>) => Promise<ServerProcess>,
): Promise<Figure[]> {
  const startOn = async (name: string, cacheMB: number): Promise<Subject> => {
    const url = `sqlite:${join(folder, `${name}.db`)}`;
    const token = await fillBook(url, rows);
    return { server: await kept(startCoffer(url, cacheMB)), token, databasePid: null };
  };
  const plain = await startOn('requests', 0);
  const cached = await startOn('cached', usualCacheMB);
  const bare = async (path: string): Promise<Measure> => {
    const file = await savePage(folder, { port: plain.server.port, token: plain.token }, path);
    const server = await kept(startServer('ceiling.ts', { BENCH_PAGE: file }));
    const requests = path.includes('limit=1000') ? 1500 : 3000;
    return perRequest({ ...plain, server, paths: ['/'], requests });
  };
  const ofPage = (subject: Subject, requests: number, more: object): Measure =>
    perRequest({ ...subject, ...more, paths: [page], requests });
  const samples = await measureInTurns({
    'bare page': await bare(page),
    'bare page of v1': await bare(pageOfV1),
    'bare list of 100': await bare(list(100)),
    'bare list of 1': await bare(list(1)),
    ...readMeasures(plain),
    'repeated page': ofPage(cached, 1000, {}),
    'repeated page, gzip': ofPage(cached, 1000, gzip),
    'page, gzip': ofPage(plain, 100, gzip),
    ...(await writeMeasures(plain)),
  });
  return figuresOf(samples);
}

function figuresOf(samples: Samples): Figure[] {
  const share = (name: string, bare: string, atLeast?: number): Figure =>
    samples.times(`requests: ${name}`, bare, name, { unit: 'of a bare response', atLeast });
  const times = (name: string, above: string, below: string, atMost: number): Figure =>
    samples.times(`requests: ${name}`, above, below, { atMost });
  return [
    share('list of 1', 'bare list of 1', 0.08),
    share('list of 100', 'bare list of 100', 0.08),
    share('me', 'bare list of 1', 0.15),
    share('page of v1 at 0', 'bare page of v1'),
    times('page of v1 at 90,000 against at 0', 'page of v1 at 90,000', 'page of v1 at 0', 1.3),
    share('repeated page', 'bare page', 0.4),
    times('repeated page, gzip against plain', 'repeated page, gzip', 'repeated page', 1.2),
    times('page, gzip against plain', 'page, gzip', 'page at 0', 4),
    ...samples.medians('requests: processor time, ', 'ms'),
  ];
}

async function measureDemoPage(folder: string): Promise<Figure> {
  const url = `sqlite:${join(folder, 'demo.db')}`;
  const { stdout } = await coffer('demo', '--database', url);
  // The demo book has crypto, whose prices the server would read from the internet.
  const offline = { PRICES_URL: 'http://127.0.0.1:1', BENCH_LOG_LEVEL: 'silent' };
  const server = await startCoffer(url, 0, offline);
  const load = { ports: [server.port], token: stdout.trim(), paths: [page] };
  const bytesOf = (...headers: string[]): Promise<number> =>
    runLoad({ ...load, requests: 1, connections: 1, headers });
  const [plain, small] = [await bytesOf(), await bytesOf('Accept-Encoding: gzip')];
  await server.stop();
  const name = 'page of the demo book, gzip against plain bytes';
  return { name, value: small / plain, unit: 'of the bytes', atMost: 0.1 };
}

const goals: Readonly<Record<string, number>> = {
  'list of 1': 0.4,
  me: 0.6,
  'PostgreSQL: list of 100': 0.7,
};

/** Measures the same requests of this checkout and of another one in turn, each with a database that it has filled. */
function measureAgainst(folder: string, other: Checkout, rows: number): Promise<Figure[]> {
  // Two databases of each engine: the second is that of the other checkout.
  return onBothEngines(folder, async (url, name, databasePid, newUrl) => {
    const start = async (checkout: Checkout, ownUrl: string): Promise<Subject> => {
      const token = await checkout.fillBook(ownUrl, rows);
      await settle(ownUrl);
      const server = await checkout.startServer('coffer.cjs', { BENCH_DATABASE: ownUrl });
      return { server, token, databasePid };
    };
    const subjects = [await start(thisCheckout, url), await start(other, await newUrl())] as const;
    try {
      const [own, others] = [await measuresOf(subjects[0]), await measuresOf(subjects[1])];
      const names = Object.keys(own);
      const inTurn = names.flatMap((each): [string, Measure][] => [
        [`${each}, this`, own[each]!],
        [`${each}, other`, others[each]!],
      ]);
      const samples = await measureInTurns(Object.fromEntries(inTurn));
      const prefix = databasePid === null ? '' : `${name}: `;
      const ratios = names.map((each) => {
        const ratio = `${prefix}${each} against the other checkout`;
        const atMost = goals[`${prefix}${each}`];
        return samples.times(ratio, `${each}, this`, `${each}, other`, { atMost });
      });
      return [...ratios, ...samples.medians(prefix, 'ms')];
    } finally {
      for (const { server } of subjects) await server.stop();
    }
  });
}

/** On PostgreSQL only lists, because the time of its processes is known in units of 10 ms. */
async function measuresOf(subject: Subject): Promise<Record<string, Measure>> {
  if (subject.databasePid === null)
    return { ...readMeasures(subject), ...(await writeMeasures(subject)) };
  const of = (limit: number): Measure =>
    perRequest({ ...subject, paths: [list(limit)], requests: 600 });
  return { 'list of 1': of(1), 'list of 100': of(100), 'list of 1000': of(1000) };
}

const deep = 90_000;
const years = Array.from({ length: 10 }, (_, index) => 2016 + index);
const searches = 40;
const many = 500;
const bulks = 6;
const singles = 100;

const page = list(1000);
/** A page of version 1, which lists one month unless dates are sent. */
const pageOfV1 = '/v1/transactions?limit=1000&start_date=2016-01-01&end_date=2025-12-31';

/** The measures of requests that read. No search is sent twice, so that no total is remembered. */
function readMeasures(subject: Subject): Record<string, Measure> {
  const of = (requests: number, ...paths: string[]): Measure =>
    perRequest({ ...subject, paths, requests });
  let searched = 0;
  return {
    'list of 1': of(600, list(1)),
    'list of 100': of(500, list(100)),
    me: of(1000, '/v2/me'),
    'page at 0': of(200, page),
    'page of v1 at 0': of(100, pageOfV1),
    'page of v1 at 90,000': of(100, `${pageOfV1}&offset=${deep}`),
    'summary of a year': of(
      50,
      ...years.map((year) => `/v2/summary?start_date=${year}-01-01&end_date=${year}-12-31`),
    ),
    search: () => {
      const paths = Array.from({ length: searches }, () => searchFor((searched += 1)));
      return perRequest({ ...subject, paths, requests: searches })();
    },
  };
}

function searchFor(index: number): string {
  const word = frequentWords[index % frequentWords.length];
  const number = Math.floor(index / frequentWords.length) % 500;
  return `/coffer/transactions?limit=100&q=${word}+${number}`;
}

/** The measures of requests that write: inserts of one and of 500, and an update of 500. They leave the same rows. */
async function writeMeasures({ server, token }: Subject): Promise<Record<string, Measure>> {
  const { insert, update, remove } = await writesOf(overHttp(server.port, token));
  const mean = async (times: number, work: () => Promise<unknown>): Promise<number> =>
    (await cpuOf(server, async () => {
      for (let time = 0; time < times; time += 1) await work();
    })) / times;
  const dated = (at: number) => ({ date: `2025-12-${10 + (at % 19)}` });
  let note = 0;
  return {
    'insert of 1': async () => {
      const ids: number[] = [];
      const ms = await mean(singles, async () => ids.push(...(await insert(1, dated))));
      await remove(ids);
      return ms;
    },
    'insert of 500': async () => {
      const inserted: number[][] = [];
      const ms = await mean(bulks, async () => inserted.push(await insert(many, dated)));
      for (const ids of inserted) await remove(ids);
      return ms;
    },
    'update of 500': async () => {
      const ids = await insert(many, dated);
      const ms = await mean(bulks, () => {
        note += 1;
        return update(ids, (at) => ({ amount: at, notes: `Note ${note} ${at}` }));
      });
      await remove(ids);
      return ms;
    },
  };
}

/** A checkout of Coffer: this one, or one that it is compared with. Its server starts with its own flags. */
interface Checkout {
  readonly startServer: typeof startServer;
  readonly fillBook: typeof fillBook;
}

const thisCheckout: Checkout = { startServer, fillBook };

async function loadCheckout(folder: string): Promise<Checkout> {
  const load = (name: string): Promise<object> =>
    import(pathToFileURL(join(folder, 'bench/measure', name)).href) as Promise<object>;
  return { ...(await load('child.ts')), ...(await load('workspace.ts')) } as Checkout;
}

interface Subject {
  readonly server: ServerProcess;
  readonly token: string;
  readonly databasePid: number | null;
}
