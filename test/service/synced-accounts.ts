import { randomBytes } from 'node:crypto';
import type { Agent } from 'node:http';
import {
  linkCryptoAccount,
  listAccounts as listCryptoAccounts,
} from '../../packages/server/src/sync/crypto/actions.ts';
import type { Engine } from '../../packages/server/src/db/engine.ts';
import { sealCredentials } from '../../packages/server/src/outside/credentials.ts';
import type { CryptoCredentials } from '../../packages/server/src/outside/credentials.ts';
import {
  jsonResponse,
  startProviderServer,
} from '../../packages/server/src/sync/testing/provider-server.ts';
import { ask, type Answer } from './ask.ts';
import { useStore, type Owner } from './owners.ts';

interface BalanceLosses {
  /** With an older reading than the last that was acknowledged. */
  readonly lost: number;
  /** With balances of different readings, or without some of them. */
  readonly half: number;
  /** With a newer reading than the last that was acknowledged. */
  readonly unacknowledged: number;
}

/**
 * Synced crypto accounts, which make a server write when they are refreshed. The provider returns the number of the
 * refresh as the balance of every asset, so that the stored balances show which refresh they come from.
 */
export interface SyncedAccounts {
  readonly environment: Readonly<Record<string, string>>;
  readonly acknowledged: number;
  /**
   * Requests a refresh of the account with that index, and records the acknowledgement. Rejects when the response is
   * not complete, or is 200 with other balances.
   */
  refresh(url: string, index: number, agent?: Agent): Promise<Answer>;
  /** Reads the account with that index. Rejects when it shows an older reading than was acknowledged. */
  look(url: string, index: number): Promise<Answer>;
  /** Compares the balances in the database with the acknowledged readings, or with `readings` by account id. */
  compare(readings?: ReadonlyMap<number, number>): Promise<BalanceLosses>;
  close(): Promise<void>;
}

export function linkSealed(
  engine: Engine,
  key: Uint8Array,
  bookId: number,
  credentials: CryptoCredentials,
  display_name: string | null = null,
): Promise<number> {
  const sealed_credentials = sealCredentials(key, bookId, credentials);
  const { provider } = credentials;
  return linkCryptoAccount(engine, bookId, { provider, display_name, sealed_credentials });
}

export function providerEnvironment(url: string, key: Uint8Array): Record<string, string> {
  const names = ['KRAKEN_URL', 'COINBASE_URL', 'ETHEREUM_RPC_URL', 'PRICES_URL', 'RATES_URL'];
  return {
    ENCRYPTION_KEY: Buffer.from(key).toString('hex'),
    ...Object.fromEntries(names.map((name) => [name, url])),
  };
}

const assets: readonly string[] = ['XXBT', 'XETH', 'SOL', 'DOT', 'ADA'];

export async function makeSyncedAccounts(
  database: string,
  { bookId, token }: Owner,
  count: number,
): Promise<SyncedAccounts> {
  const key = randomBytes(32);
  const apiKeyOf = (index: number): string => `ProvingAccount${String(index).padStart(4, '0')}`;
  const ids = await useStore(database, (store) =>
    Array.fromAsync({ length: count }, (_, index) => {
      const privateKey = Buffer.alloc(64, index).toString('base64');
      const credentials = { provider: 'kraken', apiKey: apiKeyOf(index), privateKey } as const;
      return linkSealed(store, key, bookId, credentials);
    }),
  );
  const sent = ids.map(() => 0);
  const acknowledged = ids.map(() => 0);
  // Requests are not checked: the tests of the connector do that. It has no prices.
  const kraken = await startProviderServer(({ path, headers }) => {
    const index = ids.findIndex((_, at) => apiKeyOf(at) === headers['api-key']);
    const result = Object.fromEntries(assets.map((asset) => [asset, String(sent[index] ?? 0)]));
    return jsonResponse(path === '/0/private/Balance' ? { error: [], result } : {});
  });
  return {
    environment: {
      ENCRYPTION_KEY: key.toString('hex'),
      KRAKEN_URL: kraken.url,
      PRICES_URL: kraken.url,
    },
    get acknowledged() {
      return acknowledged.reduce((sum, each) => sum + each, 0);
    },
    refresh: async (url, index, agent) => {
      const reading = (sent[index] ?? 0) + 1;
      sent[index] = reading;
      const question = { method: 'POST', token, ...(agent !== undefined && { agent }) };
      const answer = await ask(`${url}/v2/crypto/synced/${ids[index]}/refresh`, question);
      if (answer.status !== 200) return answer;
      if (readAccount(answer.text).reading !== reading)
        throw new Error(`Not the balances of reading ${reading}: ${answer.text}`);
      acknowledged[index] = reading;
      return answer;
    },
    look: async (url, index) => {
      const least = acknowledged[index] ?? 0;
      const answer = await ask(`${url}/v2/crypto/synced/${ids[index]}`, { token });
      if (answer.status !== 200) return answer;
      const { reading } = readAccount(answer.text);
      if (reading !== null && reading >= least) return answer;
      acknowledged[index] = reading ?? 0;
      throw new Error(`Reading ${least} was acknowledged, and is lost: ${answer.text}`);
    },
    compare: async (readings) => {
      const stored = await useStore(database, (store) =>
        store.read(() => listCryptoAccounts(bookId)),
      );
      const losses = { lost: 0, half: 0, unacknowledged: 0 };
      for (const [index, id] of ids.entries()) {
        const found = stored.find((account) => account.id === id);
        const reading = readingOf(found?.balances.map(({ balance }) => balance) ?? []);
        const least = readings === undefined ? acknowledged[index]! : (readings.get(id) ?? 0);
        if (reading === null) losses.half += 1;
        else if (reading < least) losses.lost += 1;
        else if (reading > least) losses.unacknowledged += 1;
      }
      return losses;
    },
    close: () => kraken.close(),
  };
}

export function readAccount(text: string): { id: number; reading: number | null } {
  const { id, balances } = JSON.parse(text) as { id: number; balances: { balance: string }[] };
  return { id, reading: readingOf(balances.map(({ balance }) => balance)) };
}

/** Returns the refresh that these quantities come from: 0 for none, null when they come from several. */
function readingOf(quantities: readonly string[]): number | null {
  if (quantities.length === 0) return 0;
  const readings = new Set(quantities.map(Number));
  const [reading = NaN] = readings;
  return readings.size === 1 && quantities.length === assets.length ? reading : null;
}
