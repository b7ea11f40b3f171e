import type { EventEmitter } from 'node:events';
import { Client } from 'pg';
import type { ClientBase, ClientConfig } from 'pg';
import { RowBytes } from './row-bytes.ts';

type Listener = (...values: unknown[]) => void;

/** What of the driver's connection is not in its types: where it begins to listen to a socket, plain or of TLS. */
interface Attachable {
  attachListeners(stream: Pick<EventEmitter, 'on'>): void;
}

const takers = new WeakMap<ClientBase, RowBytes>();

/** The driver's client, through which the rows of a statement can be taken as bytes. */
export class RowClient extends Client {
  constructor(config?: ClientConfig) {
    super(config);
    takers.set(this, tap(this.connection as unknown as Attachable));
  }
}

/** What takes the rows of a client out of its stream. Throws for a client of another kind. */
export function rowBytesOf(client: ClientBase): RowBytes {
  const rowBytes = takers.get(client);
  if (rowBytes === undefined) throw new Error('The rows of this client cannot be taken as bytes');
  return rowBytes;
}

function tap(connection: Attachable): RowBytes {
  let passOn: Listener = () => undefined;
  const rowBytes = new RowBytes((bytes) => passOn(bytes));
  const attach = connection.attachListeners.bind(connection);
  connection.attachListeners = (stream) => {
    const on = (event: string | symbol, listener: Listener): unknown => {
      if (event !== 'data') return stream.on(event, listener);
      passOn = listener;
      return stream.on('data', (chunk: Buffer) => rowBytes.read(chunk));
    };
    attach({ on } as Pick<EventEmitter, 'on'>);
  };
  return rowBytes;
}
