import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';

/** A relay between Coffer and a PostgreSQL server that counts messages and bytes. */
export interface Relay {
  readonly url: string;
  /** How often the server was ready for the next statement, and how many bytes it sent. */
  readonly counted: { trips: number; bytes: number };
  close(): Promise<void>;
}

const socketName = '.s.PGSQL.5432';
const headLength = 5;
const readyForQuery = 0x5a;

/** Listens in `folder` for clients of the database at `url`, a URL with a socket folder as `host`. */
export async function startRelay(url: string, folder: string): Promise<Relay> {
  const target = new URL(url);
  const upstreamPath = join(target.searchParams.get('host') ?? '', socketName);
  const counted = { trips: 0, bytes: 0 };
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(upstreamPath);
    const count = readyCounter(() => (counted.trips += 1));
    upstream.on('data', (bytes) => {
      counted.bytes += bytes.length;
      count(bytes);
    });
    client.pipe(upstream).pipe(client);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(join(folder, socketName), resolve));
  target.searchParams.set('host', folder);
  return {
    url: target.href,
    counted,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Splits a stream into messages by their lengths. Source: PostgreSQL manual, 55.7. */
function readyCounter(onReady: () => void): (bytes: Buffer) => void {
  let held = Buffer.alloc(0);
  let left = 0;
  return (bytes) => {
    let rest = Buffer.concat([held, bytes]);
    for (;;) {
      const passed = Math.min(left, rest.length);
      left -= passed;
      rest = rest.subarray(passed);
      if (left > 0 || rest.length < headLength) break;
      if (rest[0] === readyForQuery) onReady();
      left = 1 + rest.readUInt32BE(1);
    }
    held = rest;
  };
}
