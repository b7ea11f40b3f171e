/*
 * Compares what two checkouts respond: `node scripts/same-responses.ts OTHER [--postgres]`.
 *
 * In a book, every operation of this checkout is performed; another one is the demo book. Both checkouts serve them: on
 * PostgreSQL from one database, otherwise the other one from a copy of the file. Every GET is sent to both: without
 * parameters, with a month, with a page, and for records that the lists name. Ends with 1 if a status, a header or a
 * byte of a body differs.
 */
import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { catalogue } from '../packages/server/src/operations/testing/catalogue.ts';
import { openDatabase } from '../packages/server/src/database.ts';
import { readConfig } from '../packages/server/src/config.ts';
import type { Engine } from '../packages/server/src/db/engine.ts';
import { select } from '../packages/server/src/db/rows.ts';
import { books, users } from '../packages/server/src/db/tables/tables.ts';
import { coffer, cofferPrints } from '../test/service/coffer.ts';
import { startProviders } from '../test/service/crypto-providers.ts';
import { chooseEngine, sqlite } from '../test/service/engine.ts';
import { goodRequest } from '../test/service/good-requests.ts';
import { exchange, newAddress, type Answer } from '../test/service/http-exchange.ts';
import { startPostgresEngine } from '../test/service/postgres-engine.ts';
import { isOfUsers, signedIn } from '../test/service/signed-in.ts';
import { startService, type Service } from '../test/service/started-service.ts';
import type { User } from '../test/service/service-books.ts';

/** Headers of one server or one moment; the length is that of the compared body. */
const ofTheMoment = /^(date|set-cookie|content-length|ratelimit.*|x-ratelimit.*|retry-after)$/;
const startedAt = new Date().toISOString();
/** Paths that wait for changes, and the attempts of webhooks, which go on meanwhile. */
const streams = /\/(changes\/stream|changes\/wait|events|attempts)$/;
const months = ['2026-01', '2026-03', '2026-07'];
/** Records of one list that are read one by one. */
const mostOfList = 12;

interface Target {
  readonly user: User;
  readonly path: string;
}

type Ask = (target: Target) => Promise<Answer>;

function asker(engine: Engine, port: number): Ask {
  return async ({ user, path }) => {
    const place = { engine, port } as Service;
    const { headers = [] } = isOfUsers(path)
      ? await signedIn(place, 'GET', undefined, user)
      : { headers: ['Authorization', `Bearer ${user.token}`] };
    return exchange(port, { method: 'GET', target: path, headers, from: newAddress() });
  };
}

/** Performs every operation with records of the catalogue. Returns the targets of all GETs. */
async function performAll(service: Service): Promise<Target[]> {
  const targets: Target[] = [];
  for (const { method, declaration } of catalogue) {
    const { target, asking } = await goodRequest(service, declaration.id);
    const { status, text } = await service.ask(target, asking);
    if (status >= 300) throw new Error(`${method} ${target} returned ${status}: ${text}`);
    if (method === 'GET') targets.push({ user: service.ada, path: target });
  }
  return targets;
}

/** Returns the targets of every GET for a user: lists with and without a month, and records that the lists name. */
async function targetsOf(user: User, ask: Ask): Promise<Target[]> {
  const paths = catalogue
    .filter(({ method, declaration }) => method === 'GET' && !streams.test(declaration.path))
    .map(({ declaration }) => declaration.path);
  const lists = paths.filter((path) => !path.includes('{')).flatMap(withMonths);
  const found = new Map(paths.map((path) => [path, [] as string[]]));
  for (const path of lists) {
    const { status, text } = await ask({ user, path });
    if (status !== 200 || !text.startsWith('{')) continue;
    for (const [single, filled] of found)
      if (single.includes('{') && isOf(single, path))
        filled.push(...idsIn(text).map((id) => single.replace(/\{\w+\}/, String(id))));
  }
  const singles = [...found.values()].flatMap((all) => all.filter((path) => !path.includes('{')));
  return [...new Set([...lists, ...singles])].map((path) => ({ user, path }));
}

function isOf(single: string, list: string): boolean {
  const [parent = ''] = list.split('?');
  return single.startsWith(`${parent}/{`);
}

function withMonths(path: string): string[] {
  const ranges = months.map((month) => `${path}?start_date=${month}-01&end_date=${month}-28`);
  const pages = [0, 3, 1000].map((offset) => `${path}?limit=100&offset=${offset}`);
  return [path, ...ranges, ...pages];
}

function idsIn(text: string): number[] {
  const ids = [...text.matchAll(/"(?:id|version)":(\d+)/g)].map(([, id]) => Number(id));
  const every = Math.ceil(ids.length / mostOfList);
  return ids.filter((_, n) => n % every === 0);
}

function partsOf({ status, lines, text }: Answer): Readonly<Record<string, string>> {
  const headers = Object.entries(lines)
    .filter(([name]) => !ofTheMoment.test(name))
    .map(([name, values]) => [name, values.join(', ')] as const);
  return { status: String(status), ...Object.fromEntries(headers), body: lasting(text) };
}

/** Returns a body without the times of this run, and without the place and the signature of a server. */
function lasting(body: string): string {
  return body
    .replaceAll(/"duration_ms":\d+/g, '"duration_ms":0')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (at) => (at < startedAt ? at : 'of this run'))
    .replaceAll(/127\.0\.0\.1:\d+/g, 'a server')
    .replaceAll(/"failures":\d+/g, '"failures":0')
    .replaceAll(/expires=\d+&signature=[\w-]+/g, 'signed');
}

function differences(one: Answer, other: Answer): string[] {
  const [left, right] = [partsOf(one), partsOf(other)];
  return [...new Set([...Object.keys(left), ...Object.keys(right)])]
    .filter((name) => left[name] !== right[name])
    .map((name) => `${name}: ${shown(left[name], right[name])}`);
}

function nameOf(difference: string): string {
  return difference.slice(0, difference.indexOf(':'));
}

/** Shows both values from a little before the place where they differ. */
function shown(left = '(none)', right = '(none)'): string {
  const at = [...left].findIndex((character, n) => character !== right[n]);
  const from = Math.max(0, at - 40);
  return [left, right].map((text) => JSON.stringify(text.slice(from, from + 120))).join(' / ');
}

/** Starts a server of the other checkout. */
async function serveWith(
  checkout: string,
  service: Service,
  environment: Readonly<Record<string, string>>,
) {
  const { database, files, redis } = service;
  const copy = database.startsWith('sqlite:') ? await copyOf(service) : database;
  const places = ['--database', copy, '--files', files];
  const counts = redis === '' ? [] : ['--redis', redis];
  const program = [join(checkout, 'packages/cli/coffer.cjs'), 'serve', '--port', '0'];
  const targets = ['--webhook-private-targets', '127.0.0.1'];
  const child = spawn(process.execPath, [...program, ...places, ...counts, ...targets], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...environment },
  });
  let said = '';
  for await (const part of child.stdout.setEncoding('utf8') as AsyncIterable<string>) {
    said += part;
    const port = /http:\/\/127\.0\.0\.1:(\d+)/.exec(said)?.[1];
    if (port !== undefined) return { port: Number(port), database: copy, process: child };
  }
  throw new Error(`The other checkout does not serve: ${said}`);
}

async function copyOf({ database, files }: Service): Promise<string> {
  const copy = join(dirname(database.slice('sqlite:'.length)), 'copy.db');
  // It reports that the bytes of an attached file of the test book are missing.
  await coffer('backup', '--database', database, '--files', files, copy);
  return `sqlite:${copy}`;
}

/** Adds the demo book, and returns its user. */
async function addDemo({ engine, database, files }: Service): Promise<User> {
  const places = ['--database', database, '--files', files];
  const token = await cofferPrints('demo', '--transactions', '4000', ...places);
  const email = 'demo@coffer.example';
  return engine.read(function* () {
    const [user] = yield* select(users, { email });
    const [book] = yield* select(books, { user_id: user!.id });
    return { name: 'demo', email, token: token.trim(), userId: user!.id, bookId: book!.id };
  });
}

async function compare(here: Ask, there: Ask, targets: readonly Target[]): Promise<number> {
  let differing = 0;
  for (const target of targets) {
    const [one, other, again] = [await here(target), await there(target), await here(target)];
    // Such as the tag of a response that depends on the time.
    const changing = new Set(differences(one, again).map(nameOf));
    const found = differences(one, other).filter((each) => !changing.has(nameOf(each)));
    if (found.length === 0) continue;
    differing += 1;
    console.error(`${target.user.name} GET ${target.path}\n  ${found.join('\n  ')}`);
  }
  return differing;
}

async function main(checkout: string): Promise<number> {
  const providers = await startProviders();
  const service = await startService(providers.flags, providers.environment);
  const account = await providers.add(service.engine, service.ada, 'ethereum');
  await service.ask(`/v2/crypto/synced/${account}/refresh`, { method: 'POST' });
  const targets = await performAll(service);
  const demo = await addDemo(service);
  const here = asker(service.engine, service.port);
  for (const user of [service.ada, demo]) targets.push(...(await targetsOf(user, here)));
  const other = await serveWith(checkout, service, providers.environment);
  const engine = await openDatabase(readConfig({ database: other.database }, {}).database);
  try {
    const differing = await compare(here, asker(engine, other.port), targets);
    console.log(`${targets.length} requests, ${differing} with different responses`);
    return differing === 0 ? 0 : 1;
  } finally {
    await engine.close();
    other.process.kill();
    await once(other.process, 'close');
    await service.close();
    await providers.close();
  }
}

const { values, positionals } = parseArgs({
  options: { postgres: { type: 'boolean' } },
  allowPositionals: true,
});
const postgres = values.postgres === true ? await startPostgresEngine() : null;
chooseEngine(postgres ?? sqlite);
try {
  process.exitCode = await main(positionals[0] ?? '.');
} finally {
  await postgres?.stop();
}
