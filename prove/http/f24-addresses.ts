import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { listenHere } from '../../packages/core/src/testing/starts.ts';
import { claimAccess, readSimplefin } from '../../packages/server/src/sync/banks/simplefin.ts';
import { exampleCoinbaseCredentials } from '../../packages/server/src/sync/testing/example-credentials.ts';
import type { CryptoCredentials } from '../../packages/server/src/outside/credentials.ts';
import { ask, askJson } from '../../test/service/ask.ts';
import { cofferPrints, whose } from '../../test/service/coffer.ts';
import { addOwner, inFolder, useStore, type Owner } from '../../test/service/owners.ts';
import { useServer } from '../../test/service/server-process.ts';
import { linkSealed, providerEnvironment } from '../../test/service/synced-accounts.ts';
import { counted, type Check, type Outcome } from '../run/check.ts';
import { RawConnection } from '../run/raw-connection.ts';
import { operations, resolved, type Operation, type Schema } from './api-document.ts';
import { newAddress } from '../../test/service/http-exchange.ts';

const headerNames =
  'Origin Referer Forwarded X-Forwarded-Host X-Forwarded-For X-Original-URL Link Via'.split(' ');
/** Names under which services accept addresses, and Coffer none. */
const unknownKeys = ['url', 'webhook_url', 'callback'];
const credentials: readonly CryptoCredentials[] = [
  {
    provider: 'kraken',
    apiKey: 'ProvingAccount',
    privateKey: Buffer.alloc(64, 1).toString('base64'),
  },
  exampleCoinbaseCredentials('ES256').credentials,
  { provider: 'ethereum', address: `0x${'a'.repeat(40)}` },
];

const most = '1000000';
const flags = ['--rate-limit', most, '--coffer-rate-limit', most, '--log-level', 'silent'];

export const check: Check = {
  id: 'F24',
  rounds: { short: 4, full: 80 },
  run: (count) =>
    inFolder(async (folder) => {
      const canary = await startCanary();
      const provider = await startRedirectingProvider();
      try {
        const all = localUrls(canary.port);
        const urls = all.filter((_, n) => n % (all.length / count) === 0);
        return await run(folder, canary, provider, urls);
      } finally {
        await provider.close();
        await canary.close();
      }
    }),
};

type Canary = Awaited<ReturnType<typeof startCanary>>;
type RedirectingProvider = Awaited<ReturnType<typeof startRedirectingProvider>>;

async function run(
  folder: string,
  canary: Canary,
  provider: RedirectingProvider,
  urls: readonly string[],
): Promise<Outcome> {
  const reachable = await countReachable(canary, urls);
  const before = canary.connections();
  const database = join(folder, 'coffer.db');
  const key = randomBytes(32);
  const { owner, accounts } = await prepare(database, key);
  // The server reads exchange rates when it starts.
  provider.redirectTo(urls[0]!);
  const environment = providerEnvironment(provider.url, key);
  const problems: string[] = [];
  const statuses: number[] = [];
  await useServer({ database, flags, environment }, async (server) => {
    for (const [n, url] of urls.entries()) {
      statuses.push(...(await sendNamed(server.port, owner.token, url)));
      provider.redirectTo(url);
      const path = `/v2/crypto/synced/${accounts[n % accounts.length]}/refresh`;
      const { status } = await ask(server.url + path, { method: 'POST', token: owner.token });
      if (status < 500) problems.push(`a refresh with a redirect to ${url} returned ${status}`);
      problems.push(...(await addCoins(server.url, owner.token, url, n)));
    }
    problems.push(...(await refusalsMissing(provider, urls)));
    await importNamed(folder, database, owner, urls);
    await server.end('SIGTERM');
  });
  const connections = canary.connections() - before;
  problems.push(...counted(connections, 'connections were opened'));
  if (reachable === 0) problems.push('no URL reaches the address: nothing was proved');
  if (provider.requests() < urls.length) problems.push('the providers were not called');
  if (!statuses.includes(201)) problems.push('no record with a URL was created');
  const figure =
    `${urls.length} URLs (${reachable} can be reached) in ${statuses.length} requests, ` +
    `${provider.requests()} redirects and a file: ${connections} connections`;
  return { figure, problems };
}

async function addCoins(at: string, token: string, url: string, n: number): Promise<string[]> {
  const problems: string[] = [];
  const page = 'https://www.coingecko.com/en/coins';
  const named = [url, `${url}en/coins/a`, url.replace(/([/\\\\]{2})/, '$1www.coingecko.com@')];
  const others = [`${page}/${url}`, `${page}/..%2f..%2f${url}`, `${page}/%40${url}`];
  for (const coingecko_url of [...named, ...others, `${page}/coin-${n}`]) {
    const { status } = await askJson(`${at}/v2/cryptocurrencies`, 'POST', token, { coingecko_url });
    if (status < 400) problems.push(`the cryptocurrency ${coingecko_url} was added: ${status}`);
    const isRead = coingecko_url.endsWith(`/coin-${n}`);
    if (isRead && status < 500) problems.push(`${coingecko_url} was not read: ${status}`);
  }
  return problems;
}

/** Counts the URLs that a client which follows them reaches: the others prove nothing. */
async function countReachable(canary: Canary, urls: readonly string[]): Promise<number> {
  let reachable = 0;
  for (const url of urls) {
    const before = canary.connections();
    await fetch(new URL(url, 'http://localhost')).catch(() => undefined);
    if (canary.connections() > before) reachable += 1;
  }
  return reachable;
}

async function prepare(database: string, key: Uint8Array) {
  return useStore(database, async (store) => {
    const owner = await addOwner(store, 'owner');
    const accounts = await Array.fromAsync(credentials, (each) =>
      linkSealed(store, key, owner.bookId, each),
    );
    return { owner, accounts };
  });
}

async function sendNamed(port: number, token: string, url: string): Promise<number[]> {
  const statuses: number[] = [];
  for (const message of messagesNaming(url, `Authorization: Bearer ${token}\r\n`)) {
    const connection = new RawConnection(port, newAddress());
    const { answers } = await connection.finish(Buffer.from(message));
    connection.close();
    statuses.push(...answers.map(({ status }) => status));
  }
  return statuses;
}

function messagesNaming(url: string, authorization: string): string[] {
  const heads = [
    // A URL as the target, as a proxy gets it.
    `GET ${url} HTTP/1.1\r\nHost: a\r\n`,
    `GET /v2/me HTTP/1.1\r\nHost: ${url}\r\n`,
    ...headerNames.map((name) => `GET /v2/me HTTP/1.1\r\nHost: a\r\n${name}: ${url}\r\n`),
    ...operations.map((operation) => headWithParameters(operation, url)),
  ];
  const end = `${authorization}Connection: close\r\n`;
  return [
    ...heads.map((head) => `${head}${end}\r\n`),
    ...operations.map((operation) => messageWithBody(operation, url, end)),
  ];
}

function headWithParameters({ method, path, parameters }: Operation, url: string): string {
  const value = encodeURIComponent(url);
  const target = path.replaceAll(/\{\w+\}/g, value);
  const names = parameters.filter((each) => each.in === 'query').map(({ name }) => name);
  const query = [...names, ...unknownKeys].map((name) => `${name}=${value}`).join('&');
  return `${method} ${target}?${query} HTTP/1.1\r\nHost: a\r\n`;
}

function messageWithBody({ method, path, body, form }: Operation, url: string, end: string) {
  const target = path.replaceAll(/\{\w+\}/g, '1');
  const type = form === undefined ? 'application/json' : 'multipart/form-data; boundary=xyz';
  const json = JSON.stringify(body === undefined ? {} : valueNaming(body, url));
  const text = form === undefined ? json : formNaming(url);
  const fields = `Content-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(text)}\r\n`;
  return `${method} ${target} HTTP/1.1\r\nHost: a\r\n${fields}${end}\r\n${text}`;
}

function formNaming(url: string): string {
  const disposition = '--xyz\r\nContent-Disposition: form-data; name=';
  const file = `"file"; filename="${url.replaceAll('\\', '\\\\')}"\r\nContent-Type: application/pdf`;
  const notes = `${disposition}"notes"\r\n\r\n${url}\r\n`;
  return `${notes}${disposition}${file}\r\n\r\n%PDF-1.7\n\r\n--xyz--\r\n`;
}

function valueNaming(schema: Schema, url: string): unknown {
  const { anyOf, enum: words, type, properties = {}, items = {}, ...more } = resolved(schema);
  if (allows(schema, url)) return url;
  if (anyOf !== undefined) return valueNaming(anyOf[0]!, url);
  if (words !== undefined) return words[0];
  const first = [type].flat()[0];
  if (first === 'array') return [valueNaming(items, url)];
  if (first === 'string') return '2024-01-01';
  if (first !== 'object') return 1;
  const isSent = ([name, each]: [string, Schema]): boolean =>
    (more.required ?? []).includes(name) || allows(each, url);
  const sent = Object.entries(properties).filter(isSent);
  return Object.fromEntries(sent.map(([name, each]) => [name, valueNaming(each, url)]));
}

function allows(schema: Schema, url: string): boolean {
  const { type, anyOf = [], format, pattern = '', enum: words } = resolved(schema);
  const isFree = format === undefined && words === undefined && new RegExp(pattern).test(url);
  return isFree ? [type].flat().includes('string') : anyOf.some((each) => allows(each, url));
}

async function importNamed(
  folder: string,
  database: string,
  owner: Owner,
  urls: readonly string[],
): Promise<void> {
  const file = join(folder, 'statement.csv');
  const rows = urls.map((url) => `2024-01-31,-1.00,${url},${url},${url},Cash`);
  await writeFile(file, `Date,Amount,Payee,Notes,Category,Account\n${rows.join('\n')}\n`);
  await cofferPrints('import', file, ...whose(owner, database));
  await cofferPrints('export', ...whose(owner, database));
}

/** Spellings of loopback addresses, as used in server-side request forgery. */
const hosts = [
  '127.0.0.1',
  'localhost',
  '2130706433',
  '0x7f000001',
  '0177.0.0.1',
  '0x7f.1',
  '127.1',
  '0.0.0.0',
  '0',
  '[::1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::]',
  '127.0.0.1.',
  '127。0。0。1',
  '①②⑦.⓪.⓪.①',
];
const forms: readonly ((authority: string) => string)[] = [
  (authority) => `http://${authority}/`,
  (authority) => `https://${authority}/`,
  (authority) => `http://example.com@${authority}/`,
  (authority) => `//${authority}/`,
  (authority) => `http:\\\\${authority}\\`,
];

function localUrls(port: number): string[] {
  return hosts.flatMap((host) => forms.map((form) => form(`${host}:${port}`)));
}

async function startCanary() {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.on('error', () => undefined);
    socket.destroy();
  });
  return { ...(await listenHere(server, '::')), connections: () => connections };
}

const redirects = [301, 302, 303, 307, 308];

async function startRedirectingProvider() {
  let requests = 0;
  let location = '/';
  const server = createHttpServer((_request, response) => {
    requests += 1;
    // The header needs bytes; the URL may have other characters.
    const bytes = Buffer.from(location).toString('latin1');
    response.writeHead(redirects[requests % redirects.length]!, { location: bytes }).end();
  });
  return {
    ...(await listenHere(server)),
    requests: () => requests,
    redirectTo: (url: string) => void (location = url),
  };
}

const range = { from: '2024-01-01', to: '2024-01-31' };
const timeoutMs = 5000;

/**
 * Lets a bridge to banks name URLs: in the access URL that it returns for a setup token, and in redirects of both of
 * its requests. Returns a line for each that was not refused.
 */
async function refusalsMissing(provider: RedirectingProvider, urls: readonly string[]) {
  const problems: string[] = [];
  let access = '';
  const bridge = await listenHere(createHttpServer((_request, response) => response.end(access)));
  const claim = (url: string): Promise<unknown> =>
    claimAccess(Buffer.from(`${url}/claim`).toString('base64'), {
      signal: AbortSignal.timeout(timeoutMs),
    });
  for (const url of urls) {
    access = withUser(url);
    provider.redirectTo(url);
    const signal = AbortSignal.timeout(timeoutMs);
    const read = { accessUrl: withUser(provider.url), range, nowMs: Date.now(), signal };
    if (await isDone(claim(bridge.url))) problems.push(`the access URL ${access} was accepted`);
    if (await isDone(claim(provider.url))) problems.push(`a claim with a redirect to ${url}`);
    if (await isDone(readSimplefin(read))) problems.push(`a reading with a redirect to ${url}`);
  }
  await bridge.close();
  return problems;
}

function withUser(url: string): string {
  return url.includes('@') ? url : url.replace(/^(https?:\/\/)/, '$1client:secret@');
}

async function isDone(request: Promise<unknown>): Promise<boolean> {
  return request.then(
    () => true,
    () => false,
  );
}
