import { addMarkedOwner, digestsOf, send, sentForm } from './marked-owner.ts';
import type { MarkedOwner, Sent } from './marked-owner.ts';
import { Agent } from 'node:http';
import { watch } from 'node:fs/promises';
import { join } from 'node:path';
import type { Engine } from '../../packages/server/src/db/engine.ts';
import { find } from '../../packages/server/src/db/rows.ts';
import { jobRuns } from '../../packages/server/src/db/tables/tables.ts';
import type { Records } from '../../packages/server/src/operations/testing/special-requests.ts';
import { catalogue, goodRequest } from '../../packages/server/src/operations/testing/catalogue.ts';
import { pathsOf, placesOf } from '../../packages/server/src/operations/testing/id-places.ts';
import type {
  IdPlace,
  RecordKind,
} from '../../packages/server/src/operations/testing/id-places.ts';
import { ask, type Answer } from '../../test/service/ask.ts';
import { useStore } from '../../test/service/owners.ts';
import { withServer } from '../../test/service/server-process.ts';
import { inLanes, type Check } from '../run/check.ts';

const timedFrom = 10_000;
const lanes = 8;

const most = '1000000000/24h';
const options = {
  flags: ['--rate-limit', most, '--coffer-rate-limit', most],
  // No request needs prices: nothing listens here.
  environment: {
    PRICES_URL: 'http://127.0.0.1:9',
    ENCRYPTION_KEY: '11'.repeat(32),
    WEBHOOK_PRIVATE_TARGETS: '127.0.0.1',
    BANK_SETUP: 'on',
  },
};

export const check: Check = {
  id: 'F11',
  rounds: { short: 500, full: 10_000 },
  run: (attempts) =>
    withServer(options, ({ server: { url }, folder }) =>
      useStore(join(folder, 'coffer.db'), async (engine) => {
        const owners = [
          await addMarkedOwner(engine, url, 'ada'),
          await addMarkedOwner(engine, url, 'ben'),
        ] as const;
        await firstJobs(engine, folder);
        const digests = (): Promise<Digests[]> =>
          Promise.all(owners.map((owner) => digestsOf(engine, owner)));
        const before = await digests();
        const found: string[] = [];
        const read = places.filter(({ kind }) => kind !== 'ignored');
        await inLanes(lanes, attempts, async (n) => {
          const place = read[n % read.length]!;
          const [owner, stranger] = inTurn(owners, Math.floor(n / read.length));
          found.push(...(await attempt(url, owner, stranger, place, n)));
        });
        found.push(...(await searchLists(url, owners)));
        const isTimed = attempts >= timedFrom;
        let furthest = 0;
        for (const place of isTimed ? read : []) {
          const deviation = Math.abs(await deviationAt(url, owners, place));
          furthest = Math.max(furthest, deviation);
          if (deviation > mostDeviations)
            found.push(`${place.name}: times are ${deviation.toFixed(1)} σ apart`);
        }
        const after = await digests();
        for (const [n, { mark }] of owners.entries())
          for (const table of changedTables(before[n]!, after[n]!))
            found.push(`${table} of the book with ${mark} was changed`);
        found.push(...(await sendIgnored(url, owners)));
        for (const table of changedTables(after[0]!, (await digests())[0]!))
          found.push(`an ignored id changed ${table} of another book`);
        found.push(...(await findOwn(url, owners[0], read)));
        const figure = `${attempts} attempts at ${places.length} places, ${found.length} with a difference or a change`;
        const times = `; times of 2 × ${samples} responses at most ${furthest.toFixed(1)} σ apart`;
        return { figure: figure + (isTimed ? times : ''), problems: found };
      }),
    ),
};

type Digests = Awaited<ReturnType<typeof digestsOf>>;

function changedTables(before: Digests, after: Digests): string[] {
  return [...before.keys()].filter((table) => before.get(table) !== after.get(table));
}

/** Checks that the owner succeeds at every place with their own id: otherwise the attempts would prove nothing. */
async function findOwn(url: string, owner: MarkedOwner, all: readonly Place[]): Promise<string[]> {
  const problems: string[] = [];
  for (const { id: operation, path, place, kind, name } of all) {
    // No provider runs here.
    if (path.endsWith('/refresh')) continue;
    const id = await owner.records.own(kind as RecordKind);
    const request = await owner.records.request(operation, { path, at: { place, id } });
    const { status, text } = await send(url, owner, sentForm(request));
    if (status >= 300 || /^\{"errors?":/.test(text))
      problems.push(`${name} does not find the owner's record: ${status} ${text}`);
  }
  return problems;
}

/**
 * Sends the ids of the first owner's records as the second, where they are ignored. The response must be the same as
 * with an id that does not exist.
 */
async function sendIgnored(url: string, [owner, stranger]: Owners): Promise<string[]> {
  const problems: string[] = [];
  for (const place of places.filter(({ kind }) => kind === 'ignored')) {
    const inPath = places.find((each) => each.path === place.path && each.place.startsWith('path'));
    const own = (inPath?.kind ?? 'transaction') as RecordKind;
    const shown: string[] = [];
    // The second time, because the first undoes what some requests did.
    for (const id of [owner.ids[own][0]!, unusedId, unusedId]) {
      const request = await strangeRequest(place, id, stranger, 'ignored');
      const answer = await send(url, stranger, request);
      const times = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;
      shown.push(visible(answer, undefined).replaceAll(times, 'TIME'));
    }
    if (shown[0] !== shown[2])
      problems.push(`${place.name} is not ignored: ${shown.join(' and ')}`);
    if (!shown[0]!.startsWith('{"status":200'))
      problems.push(`${place.name} is refused: ${shown[0]}`);
  }
  return problems;
}

/** Requests a record of the owner as a stranger, and one that does not exist; returns how the responses differ. */
async function attempt(
  url: string,
  owner: MarkedOwner,
  stranger: MarkedOwner,
  place: Place,
  n: number,
): Promise<string[]> {
  const id = foreignId(owner, place, Math.floor(n / 2));
  // The stranger may have a record with an id of another kind.
  if (stranger.named[place.kind as RecordKind].has(id)) return [];
  const isRead = place.method === 'GET';
  const method = isRead && n % 8 === 5 ? 'HEAD' : place.method;
  const own = isRead && n % 8 === 6 && (await strangeRequest(place, id, owner, ''));
  const etag = own === false ? undefined : (await send(url, owner, own)).headers.etag;
  // Under /coffer/, requests with a cookie have a limit of their own, which this is too fast for.
  const isByCookie = n % 3 === 0 && place.path.startsWith('/v2/');
  const sendFor = async (value: number): Promise<Answer> => {
    const request = await strangeRequest(place, value, stranger, `name ${n}`);
    const headers = { ...request.headers, ...(etag !== undefined && { 'if-none-match': etag }) };
    return send(url, stranger, { ...request, method, headers, isByCookie });
  };
  const [foreign, unused] = await Promise.all([sendFor(id), sendFor(unusedId)]);
  const shown = visible(foreign, id);
  const expected = visible(unused, unusedId);
  if (shown !== expected || foreign.text.includes(owner.mark))
    return [`${place.name} ${id} of another book: ${shown} instead of ${expected}`];
  // A filter selects nothing. A response to HEAD has no text.
  const isFilter = place.place.startsWith('query') && foreign.status === 200;
  if (method === 'HEAD' || isFilter) return [];
  // The texts of v1 are those that clients know: not all name the id.
  const isNamed = !place.place.startsWith('body') || place.path.startsWith('/v1/');
  if (!isRefused(foreign) || !(isNamed || new RegExp(`\\b${id}\\b`).test(foreign.text)))
    return [`${place.name} ${id} of another book is not refused by its id: ${shown}`];
  return [];
}

/** v1 refuses some requests with 200. */
function isRefused({ status, text }: Answer): boolean {
  return [400, 404].includes(status) || /^\{"errors?":/.test(text);
}

function foreignId(owner: MarkedOwner, { kind }: Place, n: number): number {
  const kinds = Object.values(owner.ids).filter((ids) => ids.length > 0);
  const ids = n % 4 === 3 ? kinds[n % kinds.length]! : owner.ids[kind as RecordKind];
  return ids[n % ids.length]!;
}

/** Headers that differ between any two requests, or with the id in the path. */
const passing = new Set([
  'ratelimit-remaining',
  'x-ratelimit-remaining',
  'date',
  'content-length',
  'ratelimit-reset',
  'x-ratelimit-reset',
  'etag',
]);

function visible({ status, headers, text }: Answer, id: number | undefined): string {
  const shown = Object.entries(headers).filter(([name]) => !passing.has(name));
  return JSON.stringify({
    status,
    shown,
    text:
      id === undefined
        ? text
        : text.replaceAll(new RegExp(`(?<![\\d.])${id}(?!\\d|\\.\\d)`, 'g'), 'ID'),
  });
}

const samples = 500;
/** A rank sum deviates by chance as far as this once in 3 million comparisons. */
const mostDeviations = 5;

async function deviationAt(url: string, [owner, stranger]: Owners, place: Place): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const timeOf = async (id: number): Promise<number> => {
    const { target, ...request } = await strangeRequest(place, id, stranger, 'name');
    const startedMs = performance.now();
    await ask(url + target, { ...request, token: stranger.token, agent });
    return performance.now() - startedMs;
  };
  const foreign: number[] = [];
  const unused: number[] = [];
  const ids = owner.ids[place.kind as RecordKind];
  for (let n = 0; n < samples; n += 1) {
    const id = ids[n % ids.length]!;
    // In alternating order, so that a slow machine affects both.
    if (n % 2 === 0) foreign.push(await timeOf(id));
    unused.push(await timeOf(unusedId + (n % ids.length)));
    if (n % 2 === 1) foreign.push(await timeOf(id));
  }
  agent.destroy();
  return rankSumDeviations(foreign, unused);
}

/** Returns the deviation of the ranks of `first`, in standard deviations. Source: Mann and Whitney (1947). */
function rankSumDeviations(first: readonly number[], second: readonly number[]): number {
  const all = [
    ...first.map((value) => ({ value, isFirst: true })),
    ...second.map((value) => ({ value, isFirst: false })),
  ].sort((a, b) => a.value - b.value);
  const rankSum = all.reduce((sum, { isFirst }, at) => sum + (isFirst ? at + 1 : 0), 0);
  const [n, m] = [first.length, second.length];
  const u = rankSum - (n * (n + 1)) / 2;
  return (u - (n * m) / 2) / Math.sqrt((n * m * (n + m + 1)) / 12);
}

/** Queries that lists cannot do without, or that make them longer. */
const needed: Readonly<Record<string, string>> = {
  '/v2/summary':
    '?start_date=2026-01-01&end_date=2026-12-31&include_totals=true&include_occurrences=true',
  '/v2/recurring_items': '?include_suggested=true',
  '/v1/budgets': '?start_date=2026-01-01&end_date=2026-12-31',
  '/v1/recurring_items': '?start_date=2026-01-01&end_date=2026-12-31',
  '/v1/recurring_expenses': '?start_date=2026-03-01',
  '/v1/transactions': '?start_date=2026-01-01&end_date=2026-12-31&pending=true',
  '/coffer/changes': '?limit=1000',
  '/coffer/export': '?format=ndjson',
  '/coffer/sums': '?by=month,category,account',
  '/coffer/budget_rollover': '?start_date=2026-12-01',
  '/coffer/transfers/suggestions': '?start_date=2026-01-01&end_date=2026-12-31',
};
/** Lists with neither a text that an owner writes nor an id of a record. */
const withoutRecords = new Set([
  '/v2/cryptocurrencies',
  '/v2/budgets/settings',
  '/coffer/budget_settings',
  '/coffer/transactions/months',
  '/coffer/backups',
  '/coffer/sources',
]);

const idKinds = {
  category_id: 'category',
  manual_account_id: 'manual',
  plaid_account_id: 'plaid',
  recurring_id: 'recurring',
} as const;

/** Ids are named by their kind, or follow it: `"kind":"manual","id":3`. */
function hasIdsOf({ named }: MarkedOwner, text: string): boolean {
  return Object.entries(idKinds).some(([name, kind]) =>
    [...text.matchAll(new RegExp(`"(?:${name}|kind":"${kind}","id)":(\\d+)`, 'g'))].some(([, id]) =>
      named[kind].has(Number(id)),
    ),
  );
}

async function searchLists(url: string, owners: Owners): Promise<string[]> {
  const problems: string[] = [];
  const everything = 'include_pending=true&include_split_parents=true&include_group_children=true';
  const more = `?${everything}&include_children=true&include_metadata=true&include_files=true`;
  const targets = lists.flatMap((path) =>
    path === '/v2/transactions' ? [path, path + more] : [path + (needed[path] ?? '')],
  );
  for (const target of targets) {
    for (const [sender, other] of [inTurn(owners, 0), inTurn(owners, 1)]) {
      const { status, text } = await send(url, sender, { method: 'GET', target });
      if (status !== 200) problems.push(`GET ${target} returned ${status}`);
      const hasRecords = !withoutRecords.has(target.split('?', 1)[0]!);
      if (hasRecords && !text.includes(sender.mark) && !hasIdsOf(sender, text))
        problems.push(`GET ${target} has no record of the owner`);
      if (text.includes(other.mark) || hasIdsOf(other, text))
        problems.push(`GET ${target} has a record of another book`);
    }
  }
  return problems;
}

const unusedId = 87_654_321;

type Owners = readonly [MarkedOwner, MarkedOwner];

function inTurn([first, second]: Owners, n: number): Owners {
  return n % 2 === 0 ? [first, second] : [second, first];
}

interface Place extends IdPlace {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly name: string;
}

const places: readonly Place[] = catalogue.flatMap((operation) =>
  pathsOf(operation).flatMap((path) => {
    const { method, declaration } = operation;
    return placesOf(operation, path).map((each) => ({
      ...each,
      id: declaration.id,
      method,
      path,
      name: `${method} ${path} ${each.place}`,
    }));
  }),
);

const lists: readonly string[] = catalogue
  .filter(({ method }) => method === 'GET')
  .map(({ declaration: { path } }) => path)
  .filter((path) => !path.includes('{') && path !== '/v1/transactions/group');

/** Returns the request of a stranger with an id in a place; the rest of it is always the same for a name. */
async function strangeRequest(
  { id, path, place }: Place,
  record: number,
  { ids, mark, rules }: MarkedOwner,
  name: string,
): Promise<Sent> {
  let taken = 0;
  const own = (kind: RecordKind): number => ids[kind].at(-1 - (taken++ % 2))!;
  const records: Records = {
    own,
    link: own,
    rules: () => rules,
    version: () => 1,
    fresh: (example) => `${mark} ${name} ${example}`.slice(0, 70),
    prepared: (request) => request,
  };
  const choice = { path, at: { place, id: record }, isBare: true };
  return sentForm(await goodRequest(id, records, choice));
}

/** Waits for the job that adds balances of past months to books, a second after a start. */
async function firstJobs(engine: Engine, folder: string): Promise<void> {
  const name = 'month ends';
  const changes = watch(folder);
  while ((await engine.read(() => find(jobRuns, { name }))) === undefined) await changes.next();
  await changes.return?.();
}
