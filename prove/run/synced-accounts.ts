import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type Agent, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sealCredentials } from '../../packages/server/src/connectors/sealed-credentials.ts';
import { linkCryptoAccount, listCryptoAccounts } from '../../packages/server/src/main.ts';
import { ask, type Answer } from './ask.ts';
import { useStore, type Owner } from './book.ts';

interface Account {
  readonly id: number;
  readonly apiKey: string;
  /** The number of the last refresh that was sent, from 1. */
  sent: number;
  /** The number of the last refresh with a 200 response. */
  acknowledged: number;
}

/** The number of accounts with wrong balances in a database. */
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
export class SyncedAccounts {
  readonly #database: string;
  readonly #owner: Owner;
  readonly #kraken: KrakenServer;
  readonly #accounts: readonly Account[];
  /** The environment that the server needs. */
  readonly environment: Readonly<Record<string, string>>;

  private constructor(
    database: string,
    owner: Owner,
    key: Uint8Array,
    kraken: KrakenServer,
    accounts: readonly Account[],
  ) {
    this.#database = database;
    this.#owner = owner;
    this.#kraken = kraken;
    this.#accounts = accounts;
    this.environment = {
      ENCRYPTION_KEY: Buffer.from(key).toString('hex'),
      KRAKEN_URL: kraken.url,
      PRICES_URL: kraken.url,
    };
  }

  /** Creates `count` accounts in a database that no server has open, and starts their provider. */
  static async make(database: string, owner: Owner, count: number): Promise<SyncedAccounts> {
    const key = randomBytes(32);
    const accounts = await useStore(database, async (store) => {
      const made: Account[] = [];
      for (let index = 0; index < count; index += 1) {
        const apiKey = `ProvingAccount${String(index).padStart(4, '0')}`;
        const privateKey = Buffer.alloc(64, index).toString('base64');
        const id = await linkCryptoAccount(store, owner.bookId, {
          provider: 'kraken',
          displayName: null,
          sealedCredentials: sealCredentials(key, owner.bookId, {
            provider: 'kraken',
            apiKey,
            privateKey,
          }),
        });
        made.push({ id, apiKey, sent: 0, acknowledged: 0 });
      }
      return made;
    });
    return new SyncedAccounts(database, owner, key, await startKraken(), accounts);
  }

  /**
   * Requests a refresh of the account with that index, and records the acknowledgement. Rejects when the response is
   * not complete, or is 200 with other balances.
   */
  async refresh(url: string, index: number, agent?: Agent): Promise<Answer> {
    const account = this.#accounts[index]!;
    account.sent += 1;
    this.#kraken.setBalances(account.apiKey, account.sent);
    const path = `/v2/crypto/synced/${account.id}/refresh`;
    const answer = await ask(url + path, {
      method: 'POST',
      token: this.#owner.token,
      ...(agent === undefined ? {} : { agent }),
    });
    if (answer.status !== 200) return answer;
    if (readAccount(answer.text).reading !== account.sent)
      throw new Error(`Not the balances of reading ${account.sent}: ${answer.text}`);
    account.acknowledged = account.sent;
    return answer;
  }

  /** Reads the account with that index. Rejects when it shows an older reading than was acknowledged. */
  async look(url: string, index: number): Promise<Answer> {
    const account = this.#accounts[index]!;
    const { id, acknowledged } = account;
    const answer = await ask(`${url}/v2/crypto/synced/${id}`, { token: this.#owner.token });
    if (answer.status !== 200) return answer;
    const { reading } = readAccount(answer.text);
    if (reading !== null && reading >= acknowledged) return answer;
    account.acknowledged = reading ?? 0;
    throw new Error(`Reading ${acknowledged} was acknowledged, and is lost: ${answer.text}`);
  }

  get acknowledged(): number {
    return this.#accounts.reduce((sum, { acknowledged }) => sum + acknowledged, 0);
  }

  /**
   * Compares the balances in the database with the acknowledged readings, or with `readings` by account id.
   */
  async compare(readings?: ReadonlyMap<number, number>): Promise<BalanceLosses> {
    const stored = await useStore(this.#database, (store) =>
      store.read(() => listCryptoAccounts(this.#owner.bookId)),
    );
    const losses = { lost: 0, half: 0, unacknowledged: 0 };
    for (const { id, acknowledged } of this.#accounts) {
      const found = stored.find((account) => account.id === id);
      const reading = readingOf(found?.balances.map(({ balance }) => balance) ?? []);
      const least = readings === undefined ? acknowledged : (readings.get(id) ?? 0);
      if (reading === null) losses.half += 1;
      else if (reading < least) losses.lost += 1;
      else if (reading > least) losses.unacknowledged += 1;
    }
    return losses;
  }

  close(): Promise<void> {
    return this.#kraken.close();
  }
}

/** Returns the account in a 200 response to a refresh, and its reading. */
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

/** The assets of every account, by their names at Kraken. */
const assets: readonly string[] = ['XXBT', 'XETH', 'SOL', 'DOT', 'ADA'];

/** A server on loopback that responds like Kraken, and like a price source without prices. */
export interface KrakenServer {
  readonly url: string;
  /** Sets the balance of every asset of the account with that key. */
  setBalances(apiKey: string, amount: number): void;
  close(): Promise<void>;
}

/** Starts it. Requests are not checked: the tests of the connector do that. */
async function startKraken(): Promise<KrakenServer> {
  const amounts = new Map<string, number>();
  const server = createServer((request, response) => {
    const apiKey = String(request.headers['api-key']);
    request.resume();
    request.once('end', () => {
      const amount = String(amounts.get(apiKey) ?? 0);
      const result = Object.fromEntries(assets.map((asset) => [asset, amount]));
      const answer = request.url === '/0/private/Balance' ? { error: [], result } : {};
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(answer));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    setBalances: (apiKey, amount) => void amounts.set(apiKey, amount),
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
