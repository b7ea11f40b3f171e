import { join } from 'node:path';
import type { RecordKind } from '../../packages/server/src/resources/testing/id-places.ts';
import type { Answer } from '../../test/service/ask.ts';
import { useStore } from '../../test/service/owners.ts';
import type { Check } from '../run/check.ts';
import { withServer } from '../../test/service/server-process.ts';
import { compareTimes } from './response-times.ts';
import { searchLists } from './searched-lists.ts';
import { inTurn, places, send, sendGood, strangeRequest, unusedId } from './two-owners.ts';
import type { MarkedOwner, Owners, Place } from './two-owners.ts';
import { addMarkedOwner, digestOf } from './two-books.ts';

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
        const digests = (): Promise<string[]> =>
          Promise.all(owners.map((owner) => digestOf(engine, owner)));
        const before = await digests();
        const found: string[] = [];
        const read = places.filter(({ kind }) => kind !== 'ignored');
        found.push(...(await makeAttempts({ url, owners, places: read, attempts })));
        found.push(...(await searchLists(url, owners)));
        const isTimed = attempts >= timedFrom;
        const times = isTimed ? await compareTimes(url, owners, read) : undefined;
        found.push(...(times?.problems ?? []));
        const after = await digests();
        if (before.join() !== after.join()) found.push('a book was changed');
        found.push(...(await sendIgnored(url, owners)));
        if ((await digests())[0] !== after[0]) found.push('an ignored id changed another book');
        found.push(...(await findOwn(url, owners[0], read)));
        const figure = `${attempts} attempts at ${places.length} places, ${found.length} with a difference or a change`;
        return { figure: [figure, ...(times ? [times.figure] : [])].join('; '), problems: found };
      }),
    ),
};

interface Attempts {
  readonly url: string;
  readonly owners: Owners;
  readonly places: readonly Place[];
  readonly attempts: number;
}

async function makeAttempts({ url, owners, places, attempts }: Attempts): Promise<string[]> {
  const problems: string[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let n = (next += 1) - 1; n < attempts; n = (next += 1) - 1) {
      const place = places[n % places.length]!;
      const [owner, stranger] = inTurn(owners, Math.floor(n / places.length));
      const problem = await attempt(url, owner, stranger, place, n);
      if (problem !== undefined) problems.push(problem);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return problems;
}

/** Checks that the owner succeeds at every place with their own id: otherwise the attempts would prove nothing. */
async function findOwn(url: string, owner: MarkedOwner, all: readonly Place[]): Promise<string[]> {
  const problems: string[] = [];
  for (const { id: operation, path, place, kind, name } of all) {
    // No provider runs here.
    if (path.endsWith('/refresh')) continue;
    const id = await owner.records.own(kind as RecordKind);
    const request = await owner.records.request(operation, { path, at: { place, id } });
    const { status, text } = await sendGood(url, owner, request);
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
): Promise<string | undefined> {
  const id = foreignId(owner, place, Math.floor(n / 2));
  // The stranger may have a record with an id of another kind.
  if (stranger.named[place.kind as RecordKind].has(id)) return undefined;
  const isRead = place.method === 'GET';
  const method = isRead && n % 8 === 5 ? 'HEAD' : place.method;
  const etag = isRead && n % 8 === 6 ? await etagOf(url, owner, place, id) : undefined;
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
  if (shown === expected && !foreign.text.includes(owner.mark)) return undefined;
  return `${place.name} ${id} of another book: ${shown} instead of ${expected}`;
}

/** Returns an id, usually of the right kind, sometimes of another. */
function foreignId(owner: MarkedOwner, { kind }: Place, n: number): number {
  const kinds = Object.values(owner.ids).filter((ids) => ids.length > 0);
  const ids = n % 4 === 3 ? kinds[n % kinds.length]! : owner.ids[kind as RecordKind];
  return ids[n % ids.length]!;
}

async function etagOf(url: string, owner: MarkedOwner, place: Place, id: number): Promise<string> {
  const { headers } = await send(url, owner, await strangeRequest(place, id, owner, ''));
  return String(headers.etag);
}

/** Headers that differ between any two requests, or with the id in the path. */
const passing = new Set([
  ...['ratelimit-remaining', 'x-ratelimit-remaining'],
  ...['date', 'content-length', 'ratelimit-reset', 'x-ratelimit-reset', 'etag'],
]);

/** Returns the visible part of a response, with `ID` in place of the requested id. */
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
