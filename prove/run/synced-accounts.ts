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
  /** What the provider has been set to, 1 and up. */
  sent: number;
  /** The last that an answer of 200 told. */
  acknowledged: number;
}

/** What is wrong with the balances in a database, counted in accounts. */
interface BalanceLosses {
  /** An older reading than the last that was acknowledged. */
  readonly lost: number;
  /** Balances of different readings beside each other, or not all of them. */
  readonly half: number;
  /** A newer reading than the last that was acknowledged. */
  readonly unacknowledged: number;
}

/**
 * Synced crypto accounts, which a server is made to write to by refreshing them: the provider's balances are a number
 * that goes up by one at each refresh, the same for every asset, so that a stored state tells which refresh it is of.
 */
export class SyncedAccounts {
  readonly #database: string;
  readonly #owner: Owner;
  readonly #kraken: KrakenServer;
  readonly #accounts: readonly Account[];
  /** What the server has to be told. */
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

  /** Makes `count` accounts in a database that no server has open, and starts their provider. */
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
   * Has a server refresh the account of that index, and notes what it acknowledges. Rejects when no whole answer comes,
   * or one of 200 that tells other balances.
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

  /** Has a server show the account of that index. Rejects when it shows an older reading than was acknowledged. */
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
   * Holds the balances that the database has against what was acknowledged: to this, or to who tells otherwise, by the
   * account's id.
   */
  async compare(told?: ReadonlyMap<number, number>): Promise<BalanceLosses> {
    const stored = await useStore(this.#database, (store) =>
      store.read(() => listCryptoAccounts(this.#owner.bookId)),
    );
    const losses = { lost: 0, half: 0, unacknowledged: 0 };
    for (const { id, acknowledged } of this.#accounts) {
      const found = stored.find((account) => account.id === id);
      const reading = readingOf(found?.balances.map(({ balance }) => balance) ?? []);
      const least = told === undefined ? acknowledged : (told.get(id) ?? 0);
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

/** The account that an answer of 200 to a refresh tells of, and which reading it has. */
export function readAccount(text: string): { id: number; reading: number | null } {
  const { id, balances } = JSON.parse(text) as { id: number; balances: { balance: string }[] };
  return { id, reading: readingOf(balances.map(({ balance }) => balance)) };
}

/** Which refresh these quantities are of: 0 for none yet, null when they are not all of one. */
function readingOf(quantities: readonly string[]): number | null {
  if (quantities.length === 0) return 0;
  const readings = new Set(quantities.map(Number));
  const [reading = NaN] = readings;
  return readings.size === 1 && quantities.length === assets.length ? reading : null;
}

/** The assets of every account, as Kraken names them. */
const assets: readonly string[] = ['XXBT', 'XETH', 'SOL', 'DOT', 'ADA'];

/** Something on loopback that answers like Kraken, and like a price source that knows no price. */
export interface KrakenServer {
  readonly url: string;
  /** From now on the account of that key has so much of every asset. */
  setBalances(apiKey: string, amount: number): void;
  close(): Promise<void>;
}

/** Starts it. What it is asked is not checked: that is the concern of the connector's own tests. */
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
