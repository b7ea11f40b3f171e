import { join } from 'node:path';
import { ask, newAddress, type Answer } from './ask.ts';
import { useStore } from './book.ts';
import type { Check, Outcome } from './check.ts';
import { compareTimes } from './compare-times.ts';
import { findPositions, targetOf, type IdPosition } from './id-positions.ts';
import { addMarkedOwner, digestOf, type MarkedOwner } from './two-books.ts';
import { withServer } from './with-server.ts';

const unusedId = 87_654_321;
const timedFrom = 10_000;
/** Requests under way at once. */
const lanes = 8;

/** Two books, each asked for the records of the other by every way that the API document has. */
export const check: Check = {
  id: 'F11',
  promise:
    'A record of another book is answered like one that is not there, byte for byte and in the same time, by every id of every route',
  rounds: { short: 300, full: 10_000 },
  run: (attempts) =>
    withServer({ flags: ['--rate-limit', '1000000000/24h'] }, ({ server, folder }) =>
      useStore(join(folder, 'coffer.db'), async (store) => {
        const { positions, lists, problems } = findPositions();
        const hasCrypto = positions.some(({ kind }) => kind === 'crypto');
        const owners = [
          await addMarkedOwner(store, 'ada', hasCrypto),
          await addMarkedOwner(store, 'ben', hasCrypto),
        ] as const;
        const digests = (): Promise<string[]> =>
          Promise.all(owners.map((owner) => digestOf(store, owner, hasCrypto)));
        const before = await digests();
        const found = [...problems];
        found.push(...(await runAttempts({ url: server.url, owners, positions, attempts })));
        found.push(...(await searchLists(server.url, owners, lists)));
        const after = await digests();
        if (before.join() !== after.join()) found.push('a book was changed');
        if (attempts < timedFrom) return outcomeOf(attempts, positions, found, '');
        const times = await compareTimes({ url: server.url, owners, positions, unusedId });
        return outcomeOf(attempts, positions, [...found, ...times.problems], `; ${times.figure}`);
      }),
    ),
};

function outcomeOf(
  attempts: number,
  positions: readonly IdPosition[],
  problems: readonly string[],
  times: string,
): Outcome {
  const figure = `${attempts} attempts at ${positions.length} places, ${problems.length} told apart or changed${times}`;
  return { figure, problems };
}

interface Attempts {
  readonly url: string;
  readonly owners: readonly [MarkedOwner, MarkedOwner];
  readonly positions: readonly IdPosition[];
  readonly attempts: number;
}

async function runAttempts({ url, owners, positions, attempts }: Attempts): Promise<string[]> {
  const problems: string[] = [];
  for (const position of positions) {
    if (position.kind === null) continue;
    const own = owners[0].ids[position.kind][0];
    if (own === undefined) problems.push(`there is no ${position.kind} to try`);
    else if (position.method === 'GET' && !(await isFound(url, owners[0], position, own)))
      problems.push(`${position.path} does not find even one's own`);
  }
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let n = (next += 1) - 1; n < attempts; n = (next += 1) - 1) {
      const position = positions[n % positions.length]!;
      const [owner, stranger] = inTurn(owners, n);
      const problem = await attempt(url, owner, stranger, position, Math.floor(n / 2));
      if (problem !== undefined) problems.push(problem);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return problems;
}

function inTurn([first, second]: Attempts['owners'], n: number): Attempts['owners'] {
  return n % 2 === 0 ? [first, second] : [second, first];
}

/** Whether the owner is answered about a record of one's own: otherwise the attempts would prove nothing. */
async function isFound(
  url: string,
  owner: MarkedOwner,
  position: IdPosition,
  id: number,
): Promise<boolean> {
  const { status, text } = await ask(url + targetOf(position, id), {
    token: owner.token,
    from: newAddress(),
  });
  return status === 200 && text.includes(owner.mark);
}

/** Asks for a record of the owner as a stranger, and then for none; says how the two could be told apart. */
async function attempt(
  url: string,
  owner: MarkedOwner,
  stranger: MarkedOwner,
  position: IdPosition,
  n: number,
): Promise<string | undefined> {
  // Mostly an id of the kind that belongs there, now and then of any other.
  const kinds = Object.values(owner.ids).filter((ids) => ids.length > 0);
  const right = position.kind === null ? [] : owner.ids[position.kind];
  const ids = right.length === 0 || n % 4 === 3 ? kinds[n % kinds.length]! : right;
  const id = ids[n % ids.length]!;
  // An id of another kind may be one that the stranger has a record of.
  if (position.kind !== null && stranger.ids[position.kind].includes(id)) return undefined;
  const method = position.method === 'GET' && n % 8 === 5 ? 'HEAD' : position.method;
  const condition = n % 8 === 6 ? { 'if-none-match': await tagOf(url, owner, position, id) } : {};
  const askFor = (value: number): Promise<Answer> =>
    ask(url + targetOf(position, value), {
      method,
      token: stranger.token,
      headers: condition,
      from: newAddress(),
    });
  const [foreign, unused] = await Promise.all([askFor(id), askFor(unusedId)]);
  if (visible(foreign, id) === visible(unused, unusedId) && !foreign.text.includes(owner.mark))
    return undefined;
  const name = `${method} ${targetOf(position, id)} of another book`;
  return `${name}: ${visible(foreign, id)} instead of ${visible(unused, unusedId)}`;
}

/** The mark under which the owner would keep a copy of the answer. */
async function tagOf(
  url: string,
  owner: MarkedOwner,
  position: IdPosition,
  id: number,
): Promise<string> {
  const target = url + targetOf(position, id);
  const { headers } = await ask(target, { token: owner.token, from: newAddress() });
  return String(headers.etag);
}

/** They differ between any two requests, or with the id in the address. */
const passing = new Set(['date', 'content-length', 'ratelimit-reset', 'x-ratelimit-reset', 'etag']);

function visible({ status, headers, text }: Answer, id: number): string {
  const shown = Object.entries(headers).filter(([name]) => !passing.has(name));
  return JSON.stringify({ status, shown, text: text.replaceAll(String(id), 'ID') });
}

/** Every list there is, as both; what belongs to the other must not be in it. */
async function searchLists(
  url: string,
  owners: readonly [MarkedOwner, MarkedOwner],
  lists: readonly { readonly method: string; readonly path: string }[],
): Promise<string[]> {
  const problems: string[] = [];
  const everything = 'include_pending=true&include_split_parents=true&include_group_children=true';
  const more = `${everything}&include_children=true&include_metadata=true&include_files=true`;
  const asked = lists.flatMap(({ method, path }) =>
    (path === '/v2/transactions' ? ['', `?${more}`] : ['']).map((query) => ({
      method,
      path,
      query,
    })),
  );
  for (const { method, path, query } of asked) {
    for (const [asker, other] of [inTurn(owners, 0), inTurn(owners, 1)]) {
      const question = { method, token: asker.token, from: newAddress() };
      const { status, text } = await ask(url + path + query, question);
      if (status !== 200) problems.push(`${method} ${path} was answered ${status}`);
      if (!text.includes(asker.mark)) problems.push(`${method} ${path} has nothing of one's own`);
      if (text.includes(other.mark))
        problems.push(`${method} ${path} has something of another book`);
    }
  }
  return problems;
}
