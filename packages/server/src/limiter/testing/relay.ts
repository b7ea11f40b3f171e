import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

/** A TCP relay to a server. It can drop bytes or cut connections, as cables and firewalls do. */
export interface Relay {
  readonly port: number;
  /** Drops all further bytes on the current connections without closing them; new connections work. */
  silence(): void;
  /** Closes the connection that sends the next bytes to the server, after relaying them. */
  cutAfterNextRequest(): void;
  /** Leads new connections to another port. */
  divert(toPort: number): void;
  /** How many connections were accepted. */
  connections(): number;
  close(): Promise<void>;
}

/** Starts a relay to a port of this machine. */
export async function startRelay(firstPort: number): Promise<Relay> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let toPort = firstPort;
  let made = 0;
  let cutsNext = false;
  const server = createServer((near) => {
    const far = connect(toPort, '127.0.0.1');
    const pair = [near, far] as const;
    made += 1;
    pairs.add(pair);
    near.on('data', (bytes) => {
      far.write(bytes);
      if (!cutsNext) return;
      cutsNext = false;
      near.destroy();
    });
    far.on('data', (bytes) => near.write(bytes));
    for (const [one, other] of [pair, [far, near] as const]) {
      // An error is followed by a close.
      one.on('error', () => undefined);
      one.on('close', () => {
        other.destroySoon();
        pairs.delete(pair);
      });
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    silence: () => {
      for (const [near, far] of pairs)
        for (const socket of [near, far]) socket.removeAllListeners('data').resume();
    },
    cutAfterNextRequest: () => (cutsNext = true),
    divert: (port) => (toPort = port),
    connections: () => made,
    close: async () => {
      for (const [near, far] of pairs) for (const socket of [near, far]) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
