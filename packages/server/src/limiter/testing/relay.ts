import { connect, createServer, type Socket } from 'node:net';
import { listenHere, type Listening } from '../../../../core/src/testing/starts.ts';

/** A TCP relay to a server. It can drop bytes or cut connections, as cables and firewalls do. */
export interface Relay extends Listening {
  /** Drops all further bytes on the current connections without closing them; new connections work. */
  silence(): void;
  /** Closes the connection that sends the next bytes to the server, after relaying them. */
  cutAfterNextRequest(): void;
  /** Leads new connections to another port. */
  divert(toPort: number): void;
  /** How many connections were accepted. */
  connections(): number;
  /** How many responses were lost. */
  lost(): number;
}

/** Starts a relay to a port of this machine. `loses` decides for each connection whether its responses are lost. */
export async function startRelay(
  firstPort: number,
  loses: () => boolean = () => false,
): Promise<Relay> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let toPort = firstPort;
  let [made, lost] = [0, 0];
  let cutsNext = false;
  const server = createServer((near) => {
    const far = connect(toPort, '127.0.0.1');
    const pair = [near, far] as const;
    const isLosing = loses();
    made += 1;
    pairs.add(pair);
    near.on('data', (bytes) => {
      far.write(bytes);
      if (!cutsNext) return;
      cutsNext = false;
      near.destroy();
    });
    far.on('data', (bytes) => {
      if (!isLosing) near.write(bytes);
      else if (!near.destroyed) {
        lost += 1;
        near.destroy();
      }
    });
    for (const [one, other] of [pair, [far, near] as const]) {
      // An error is followed by a close.
      one.on('error', () => undefined);
      one.on('close', () => {
        other.destroySoon();
        pairs.delete(pair);
      });
    }
  });
  return {
    ...(await listenHere(server)),
    silence: () => {
      for (const [near, far] of pairs)
        for (const socket of [near, far]) socket.removeAllListeners('data').resume();
    },
    cutAfterNextRequest: () => (cutsNext = true),
    divert: (port) => (toPort = port),
    connections: () => made,
    lost: () => lost,
  };
}
