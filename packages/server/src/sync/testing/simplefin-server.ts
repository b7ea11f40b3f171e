import { jsonResponse, startProviderServer } from './provider-server.ts';
import type { Call, ProviderResponse, ProviderServer } from './provider-server.ts';

/** A transaction as the protocol has it; `posted` and `transacted_at` in seconds since 1970. */
export interface SimplefinTransaction {
  readonly id: string;
  readonly posted: number;
  readonly amount: string;
  readonly description: string;
  readonly pending?: boolean;
  readonly transacted_at?: number;
  readonly memo?: string;
}

export interface SimplefinAccount {
  readonly id: string;
  readonly name: string;
  readonly currency: string;
  readonly balance: string;
  readonly transactions: readonly SimplefinTransaction[];
}

export interface SimplefinServer extends ProviderServer {
  /** A setup token. Each can be claimed once. */
  newToken(): string;
  setAccounts(accounts: readonly SimplefinAccount[]): void;
  setErrors(errors: readonly string[]): void;
}

const dayMs = 86_400_000;
const mostDays = 60;
const org = { name: 'Test Bank', domain: 'bank.example', 'sfin-url': 'https://bank.example' };

/** Starts a SimpleFIN bridge with one client. It requires the user name and the password of the access URL. */
export async function startSimplefinServer(): Promise<SimplefinServer> {
  let accounts: readonly SimplefinAccount[] = [];
  let errors: readonly string[] = [];
  const tokens = new Set<string>();
  let claims = 0;
  const server = await startProviderServer((call) => {
    if (call.path.startsWith('/claim/')) return claim(call, tokens, server.url);
    if (call.method !== 'GET' || call.path !== '/simplefin/accounts')
      return jsonResponse({ error: 'not found' }, 404);
    const given = Buffer.from(call.headers.authorization?.slice(6) ?? '', 'base64').toString();
    if (given !== 'client:p@ss word') return jsonResponse({ errors: ['Forbidden'] }, 403);
    return accountsOf(call, accounts, errors);
  });
  return Object.assign(server, {
    newToken: () => {
      claims += 1;
      tokens.add(`/claim/${claims}`);
      return Buffer.from(`${server.url}/claim/${claims}`).toString('base64');
    },
    setAccounts: (next: readonly SimplefinAccount[]) => void (accounts = next),
    setErrors: (next: readonly string[]) => void (errors = next),
  });
}

function claim({ method, path }: Call, tokens: Set<string>, url: string): ProviderResponse {
  if (method !== 'POST' || !tokens.delete(path)) return { status: 403, text: 'Forbidden' };
  const text = url.replace('http://', 'http://client:p%40ss%20word@') + '/simplefin';
  return { status: 200, text };
}

function accountsOf(
  { query }: Call,
  accounts: readonly SimplefinAccount[],
  errors: readonly string[],
): ProviderResponse {
  const [start, end] = ['start-date', 'end-date'].map((name) => Number(query.get(name)));
  if ((end! - start!) * 1000 > mostDays * dayMs) return jsonResponse({ errors: ['Too long'] }, 400);
  const isPendingWanted = query.get('pending') === '1';
  const isListed = ({ posted, transacted_at, pending = false }: SimplefinTransaction): boolean => {
    const at = posted === 0 ? (transacted_at ?? start!) : posted;
    return at >= start! && at < end! && (isPendingWanted || !pending);
  };
  const listed = accounts.map((account) => ({
    ...account,
    org,
    'balance-date': end! - 1,
    transactions: account.transactions.filter(isListed),
  }));
  return jsonResponse({ errors, accounts: listed });
}
