import { verify, type KeyObject } from 'node:crypto';
import { jsonResponse, startProviderServer } from './provider-server.ts';
import type { Call, ProviderServer } from './provider-server.ts';

/** Available amounts by currency; an object where an amount is on hold too. */
export type CoinbaseBalances = Readonly<
  Record<string, string | { readonly available: string; readonly hold: string }>
>;

export interface CoinbaseServer extends ProviderServer {
  setBalances(balances: CoinbaseBalances): void;
}

export interface CoinbaseServerOptions {
  readonly keyName: string;
  readonly publicKey: KeyObject;
  readonly balances: CoinbaseBalances;
  /** Maximum number of accounts on a page; 250 by default. */
  readonly pageSize?: number;
  readonly now?: () => number;
}

const fiat = ['USD', 'EUR', 'GBP'];
const maxTokenSeconds = 120;

/** Starts a Coinbase server with one user. It requires a new JWT for each request, signed with the user's key. */
export async function startCoinbaseServer(options: CoinbaseServerOptions): Promise<CoinbaseServer> {
  let { balances } = options;
  const seenNonces = new Set<string>();
  const server = await startProviderServer((call) => {
    const { method, path, headers } = call;
    if (method !== 'GET' || path !== '/api/v3/brokerage/accounts') {
      return jsonResponse({ error: 'NOT_FOUND', message: path }, 404);
    }
    if (!isAuthorized(headers, path, options, seenNonces))
      return { status: 401, text: 'Unauthorized\n' };
    return jsonResponse(pageOf(balances, call, options.pageSize ?? 250));
  });
  return Object.assign(server, {
    setBalances: (next: CoinbaseBalances) => void (balances = next),
  });
}

function pageOf(balances: CoinbaseBalances, { query }: Call, pageSize: number): object {
  const all = Object.entries(balances);
  const start = Number(query.get('cursor') ?? '0');
  const size = Math.min(Number(query.get('limit') ?? '49'), pageSize);
  const end = start + size;
  const hasNext = end < all.length;
  const accounts = all.slice(start, end).map(([currency, amount], at) => {
    const { available, hold } =
      typeof amount === 'string' ? { available: amount, hold: '0' } : amount;
    return {
      uuid: `account-${start + at}`,
      name: `${currency} Wallet`,
      currency,
      available_balance: { value: available, currency },
      default: true,
      active: true,
      type: fiat.includes(currency) ? 'ACCOUNT_TYPE_FIAT' : 'ACCOUNT_TYPE_CRYPTO',
      ready: true,
      hold: { value: hold, currency },
    };
  });
  return { accounts, has_next: hasNext, cursor: hasNext ? String(end) : '', size: accounts.length };
}

function isAuthorized(
  headers: Call['headers'],
  path: string,
  { keyName, publicKey, now = Date.now }: CoinbaseServerOptions,
  seenNonces: Set<string>,
): boolean {
  const [, head = '', claims = '', signature = ''] =
    /^Bearer ([\w-]+)\.([\w-]+)\.([\w-]+)$/.exec(headers.authorization ?? '') ?? [];
  if (!isSignedBy(publicKey, `${head}.${claims}`, signature)) return false;
  const { alg, kid, nonce, typ } = decode(head);
  const { sub, iss, nbf, exp, uri } = decode(claims);
  const isFresh = typeof nonce === 'string' && nonce.length >= 8 && !seenNonces.has(nonce);
  seenNonces.add(String(nonce));
  const nowSeconds = now() / 1000;
  return (
    isFresh &&
    alg === (publicKey.asymmetricKeyType === 'ec' ? 'ES256' : 'EdDSA') &&
    typ === 'JWT' &&
    kid === keyName &&
    sub === keyName &&
    iss === 'cdp' &&
    Number(nbf) <= nowSeconds &&
    Number(exp) > nowSeconds &&
    Number(exp) <= Number(nbf) + maxTokenSeconds &&
    uri === `GET ${headers.host ?? ''}${path}`
  );
}

function isSignedBy(publicKey: KeyObject, signed: string, signature: string): boolean {
  const digest = publicKey.asymmetricKeyType === 'ec' ? 'sha256' : null;
  const key = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const;
  return verify(digest, Buffer.from(signed), key, Buffer.from(signature, 'base64url'));
}

function decode(part: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;
}
