import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { jsonResponse, startProviderServer } from './provider-server.ts';
import type { Call, ProviderServer } from './provider-server.ts';

/** Amounts by asset code, as in `{ XXBT: '0.1234567890' }`. */
export type KrakenBalances = Readonly<Record<string, string>>;

export interface KrakenServer extends ProviderServer {
  readonly nonces: readonly bigint[];
  setBalances(balances: KrakenBalances): void;
}

/** Starts a Kraken server with one account. It accepts requests signed by its key, each with a higher nonce. */
export async function startKrakenServer(options: {
  readonly apiKey: string;
  readonly privateKey: string;
  readonly balances: KrakenBalances;
}): Promise<KrakenServer> {
  let { balances } = options;
  const nonces: bigint[] = [];
  const server = await startProviderServer((call) => {
    const error = callError(call, options, nonces);
    if (error !== null) return jsonResponse({ error: [error] });
    nonces.push(BigInt(new URLSearchParams(call.body).get('nonce') ?? ''));
    return jsonResponse({ error: [], result: balances });
  });
  return Object.assign(server, {
    nonces,
    setBalances: (next: KrakenBalances) => void (balances = next),
  });
}

function callError(
  { method, path, headers, body }: Call,
  key: { apiKey: string; privateKey: string },
  nonces: readonly bigint[],
): string | null {
  if (method !== 'POST' || path !== '/0/private/Balance') return 'EGeneral:Unknown method';
  const type = headers['content-type'];
  if (type !== 'application/x-www-form-urlencoded') return 'EGeneral:Invalid arguments';
  if (headers['user-agent'] === undefined) return 'EGeneral:Invalid arguments:User-Agent';
  if (headers['api-key'] !== key.apiKey) return 'EAPI:Invalid key';
  const nonce = new URLSearchParams(body).get('nonce') ?? '';
  if (!isSigned(headers['api-sign'], key.privateKey, path, nonce, body)) {
    return 'EAPI:Invalid signature';
  }
  const isHigher = /^\d{1,19}$/.test(nonce) && BigInt(nonce) > (nonces.at(-1) ?? 0n);
  return isHigher ? null : 'EAPI:Invalid nonce';
}

function isSigned(
  signature: string | string[] | undefined,
  privateKey: string,
  path: string,
  nonce: string,
  body: string,
): boolean {
  const digest = createHash('sha256').update(`${nonce}${body}`).digest();
  const message = Buffer.concat([Buffer.from(path), digest]);
  const right = createHmac('sha512', Buffer.from(privateKey, 'base64')).update(message).digest();
  const given = Buffer.from(String(signature), 'base64');
  return given.length === right.length && timingSafeEqual(given, right);
}
