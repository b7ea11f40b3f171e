import { randomBytes } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { exampleCoinbaseCredentials } from '../../packages/server/src/sync/testing/example-credentials.ts';
import {
  startProviderServer,
  type Call,
  type ProviderResponse,
  type ProviderServer,
} from '../../packages/server/src/sync/testing/provider-server.ts';
import {
  createToken,
  revokeToken,
  newToken,
} from '../../packages/server/src/identity/users/actions.ts';
import type { Engine } from '../../packages/server/src/db/engine.ts';
import type { CryptoCredentials } from '../../packages/server/src/outside/credentials.ts';
import { addOwner, type Owner } from '../../test/service/owners.ts';
import { linkSealed } from '../../test/service/synced-accounts.ts';

export interface Secrets {
  readonly ada: Owner;
  readonly ben: Owner;
  /** Hashes that the database must have, as a check of the search. */
  readonly hashes: readonly Uint8Array[];
  /** They must be nowhere. */
  readonly tokens: readonly Canary[];
  /** Credentials of ada for providers, and the encryption key: they must be nowhere in plain text. */
  readonly credentials: readonly Canary[];
  readonly encryptionKey: Uint8Array;
  readonly keyFile: string;
  /** Contents of ada's records: only in the database, its copies, and responses to ada. */
  readonly records: readonly Canary[];
  /** Sent in hostile requests: only the response to the sender may have it. */
  readonly sent: readonly Canary[];
  readonly statement: string;
}

export async function makeSecrets(store: Engine): Promise<Secrets> {
  const [ada, ben] = [await addOwner(store, 'ada'), await addOwner(store, 'ben')];
  const revoked = newToken();
  const { bookId, userId } = ada;
  const id = await store.write(() =>
    createToken({ userId, bookId, hash: revoked.hash, label: 'revoked', expiresAt: null }),
  );
  await store.write(() => revokeToken(bookId, id));
  const texts = {
    'token of ada': ada.token,
    'token of ben': ben.token,
    'revoked token': revoked.text,
    'strange token': newToken().text,
  };
  const encryptionKey = randomBytes(32);
  const credentials = makeCredentials();
  for (const each of credentials) await linkSealed(store, encryptionKey, bookId, each);
  const added = makeKrakenKey();
  const records = ['payee', 'note', 'category', 'account'].map((name) => {
    return { name: `${name} of ada`, text: ibanLike(name) };
  });
  const sent = ['in a query', 'in a path', 'in a header', 'in a body'].map((name) => {
    return { name: `IBAN ${name}`, text: ibanLike('sent') };
  });
  const [payee, note, category, account] = records.map(({ text }) => text);
  const rows = Array.from(
    { length: 40 },
    (_, n) => `2026-01-0${1 + (n % 9)},${payee} ${n},-1.00,${note} ${n},${category},${account}`,
  );
  return {
    ada,
    ben,
    hashes: [revoked.hash],
    tokens: Object.entries(texts).map(([name, text]) => tokenCanary(name, text)),
    credentials: [...[...credentials, added].flatMap(credentialCanaries), keyCanary(encryptionKey)],
    encryptionKey,
    keyFile: `${added.apiKey}\n${added.privateKey}\n`,
    records,
    sent,
    statement: `Date,Payee,Amount,Notes,Category,Account\n${rows.join('\n')}\n`,
  };
}

/** Half of a token is a leak, too. */
function tokenCanary(name: string, text: string): Canary {
  const secret = text.slice('coffer_'.length);
  return { name, text, pieces: [secret.slice(0, 16), secret.slice(16, 32), secret.slice(-16)] };
}

function ibanLike(word: string): string {
  const digits = BigInt(`0x${randomBytes(8).toString('hex')}`)
    .toString()
    .padStart(20, '0');
  return `DE${digits.slice(0, 20)}${word.toUpperCase()}`;
}

function makeKrakenKey() {
  const base64 = (length: number): string => randomBytes(length).toString('base64');
  return { provider: 'kraken', apiKey: base64(42), privateKey: base64(64) } as const;
}

function makeCredentials(): CryptoCredentials[] {
  return [
    makeKrakenKey(),
    exampleCoinbaseCredentials('ES256').credentials,
    exampleCoinbaseCredentials('EdDSA').credentials,
    { provider: 'ethereum', address: `0x${randomBytes(20).toString('hex')}` },
  ];
}

function credentialCanaries({ provider, ...secrets }: CryptoCredentials): Canary[] {
  return Object.entries(secrets)
    .filter(([name]) => name !== 'keyName')
    .map(([name, text]) => ({
      name: `${name} of ${provider}`,
      text,
      pieces: text.split('\n').filter((line) => line.length > 30 && !line.startsWith('-----')),
    }));
}

function keyCanary(bytes: Buffer): Canary {
  const pieces = [bytes.toString('base64')];
  return { name: 'encryption key', text: bytes.toString('hex'), pieces, bytes };
}

export interface Canary {
  readonly name: string;
  readonly text: string;
  /** Parts that must not appear either; none by default. */
  readonly pieces?: readonly string[];
  readonly bytes?: Uint8Array;
}

/** A shorter piece of base 64 could appear by chance. */
const leastEncoded = 12;

/** Returns the names of the canaries in the bytes, plain or in one of the usual encodings. */
export function canariesIn(bytes: Buffer, canaries: readonly Canary[]): string[] {
  return canaries
    .filter((canary) => formsOf(canary).some((form) => bytes.includes(form)))
    .map(({ name }) => name);
}

function formsOf({ text, pieces = [], bytes }: Canary): Buffer[] {
  const utf8 = Buffer.from(text);
  return [
    utf8,
    Buffer.from(text, 'utf16le'),
    Buffer.from(utf8.toString('hex')),
    Buffer.from(utf8.toString('hex').toUpperCase()),
    Buffer.from(encodeURIComponent(text)),
    ...base64Of(utf8),
    ...pieces.map((piece) => Buffer.from(piece)),
    ...(bytes === undefined ? [] : [Buffer.from(bytes)]),
  ];
}

function base64Of(utf8: Buffer): Buffer[] {
  return [0, 1, 2].flatMap((offset) => {
    const shifted = Buffer.concat([Buffer.alloc(offset), utf8]).toString('base64');
    const middle = shifted.slice(4, -4);
    if (middle.length < leastEncoded) return [];
    return [middle, middle.replaceAll('+', '-').replaceAll('/', '_')].map((form) =>
      Buffer.from(form),
    );
  });
}

export function filesBelow(folder: string): { readonly path: string; readonly bytes: Buffer }[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ path, bytes: readFileSync(path) }));
}

export function indiscreetRequests({ ada, tokens, sent }: Secrets): Buffer[] {
  const all = [...tokens, ...sent].map(({ text }) => text);
  const authorization = `Authorization: Bearer ${ada.token}\r\n`;
  return all.flatMap((secret) => [
    ...targetsWith(secret).flatMap((target) =>
      [authorization, ''].map((fields) => request(target, fields)),
    ),
    ...headersWith(secret).flatMap((fields) =>
      ['/v2/transactions?limit=0', '/unknown'].map((target) => request(target, fields)),
    ),
    ...bodiesWith(secret).map((body) => {
      const fields = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
      return request('/v2/me', authorization + fields, body);
    }),
    ...brokenWith(secret).map((text) => Buffer.from(text)),
  ]);
}

function request(target: string, fields: string, body = ''): Buffer {
  const head = `GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n`;
  return Buffer.from(`${head}${fields}\r\n${body}`);
}

function targetsWith(secret: string): string[] {
  return [
    `/v2/transactions?access_token=${secret}`,
    `/v2/transactions?limit=${secret}`,
    `/v2/transactions?start_date=${secret}&${secret}=1`,
    `/v2/transactions?status=${secret}&status=${secret}`,
    `/v2/transactions/${secret}`,
    `/v2/categories/${secret}`,
    `/v2/crypto/synced/${secret}/refresh`,
    `/v2/${secret}`,
    `/v1/${secret}?${secret}`,
    `/${secret}?${secret}`,
    `/v2/%zz${secret}`,
    `/%zz${secret}`,
    `/v2/me#${secret}`,
    `/healthz?${secret}`,
    `/metrics?${secret}`,
  ];
}

function headersWith(secret: string): string[] {
  return [
    `Authorization: Bearer ${secret}\r\n`,
    `Authorization: Bearer ${secret}\r\nAuthorization: Bearer ${secret}\r\n`,
    `Authorization: Basic ${secret}\r\n`,
    `Authorization: ${secret}\r\n`,
    `Authorization: Bearer ${secret}x\r\n`,
    `Cookie: session=${secret}\r\nX-Api-Key: ${secret}\r\n`,
    `X-Forwarded-For: ${secret}\r\nVia: 1.1 ${secret}\r\n`,
    `If-None-Match: "${secret}"\r\n${secret}: ${secret}\r\n`,
  ];
}

function bodiesWith(secret: string): string[] {
  return [`{"token":"${secret}"}`, `{"${secret}":`, secret, `{"__proto__":"${secret}"}`];
}

function brokenWith(secret: string): string[] {
  return [
    `${secret}\r\n\r\n`,
    `${secret} / HTTP/1.1\r\nHost: a\r\n\r\n`,
    `GET /v2/me HTTP/1.1\r\nHost: a\r\nbroken ${secret}\r\n\r\n`,
    `GET /v2/me HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${secret}\0\r\n\r\n`,
    `GET /v2/me HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${secret}${'x'.repeat(17_000)}\r\n\r\n`,
  ];
}

const indiscretions: readonly ((sent: string) => ProviderResponse)[] = [
  ...[500, 401, 429, 200].map((status) => (text: string) => ({ status, text })),
  (sent) => ({ status: 200, text: JSON.stringify({ error: [`EAPI:Invalid key ${sent}`] }) }),
  (sent) => ({ status: 200, text: JSON.stringify({ error: { code: -32000, message: sent } }) }),
  (sent) => ({ status: 200, text: JSON.stringify({ jsonrpc: '2.0', id: sent, result: sent }) }),
  (sent) => {
    const text = JSON.stringify({ accounts: [{ currency: sent }], result: { [sent]: sent } });
    return { status: 200, text };
  },
];

export const indiscretionCount = indiscretions.length;

export function startIndiscreetProvider(): Promise<ProviderServer> {
  let calls = 0;
  return startProviderServer(({ path, headers, body }: Call): ProviderResponse => {
    calls += 1;
    const sent = `${path} ${body} ${Object.values(headers).join(' ')}`;
    return indiscretions[calls % indiscretions.length]!(sent);
  });
}
