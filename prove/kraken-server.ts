import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The assets of every account, as Kraken names them. */
export const assets: readonly string[] = ['XXBT', 'XETH', 'SOL', 'DOT', 'ADA'];

/** Something on loopback that answers like Kraken, and like a price source that knows no price. */
export interface KrakenServer {
  readonly url: string;
  /** From now on the account of that key has so much of every asset. */
  setBalances(apiKey: string, amount: number): void;
  close(): Promise<void>;
}

/** Starts it. What it is asked is not checked: that is the concern of the connector's own tests. */
export async function startKraken(): Promise<KrakenServer> {
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
