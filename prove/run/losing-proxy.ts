import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';

/** A proxy on 127.0.0.1 that passes requests on, and loses the responses of some connections. */
export interface LosingProxy {
  readonly url: string;
  /** The port of the server; connections to an earlier one stay. */
  target: number;
  /** How many responses were lost so far. */
  readonly lost: () => number;
  close(): Promise<void>;
}

/** Starts a proxy. `loses` decides for each connection. */
export async function startLosingProxy(target: number, loses: () => boolean): Promise<LosingProxy> {
  const open = new Set<Socket>();
  let lost = 0;
  const server = createServer((client) => {
    const upstream = connect(proxy.target, '127.0.0.1');
    const isLosing = loses();
    for (const socket of [client, upstream]) {
      open.add(socket);
      // An error is always followed by a close.
      socket.on('error', () => undefined);
      socket.on('close', () => {
        open.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.pipe(upstream);
    upstream.on('data', (chunk: Buffer) => {
      if (!isLosing) client.write(chunk);
      else {
        lost += 1;
        client.destroy();
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxy: LosingProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    target,
    lost: () => lost,
    close: async () => {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
  return proxy;
}
