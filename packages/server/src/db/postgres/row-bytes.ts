import type { EventEmitter } from 'node:events';
import { Socket } from 'node:net';
import { Client } from 'pg';
import type { ClientBase, ClientConfig } from 'pg';

/** Type, length, count of columns, length of the first value: what stands before a row's first byte. */
const rowHeadLength = 11;
const headLength = 5;
const dataRow = 0x44;
const comma = 0x2c;
const firstCapacity = 65_536;

/**
 * Stands between the socket and the driver, which reads every value as a string: while it is taking, it takes the rows
 * of a statement out of the stream and joins them by commas as the bytes that they are.
 *
 * Of the protocol it knows only where messages begin and end. Everything else goes on to the driver as it came.
 * Source: PostgreSQL manual, 55.7, message formats.
 */
export class RowBytes {
  readonly #passOn: (bytes: Buffer) => void;
  #isTaking = false;
  #hasTaken = false;
  /** The beginning of a message whose head is not whole. */
  #held: Buffer | null = null;
  /** How much of a message is still to come, and whether it is a row that is taken. */
  #left = 0;
  #isRow = false;
  #joined = Buffer.allocUnsafeSlow(firstCapacity);
  #length = 0;
  /** What the last statement came to: the next is seldom of another size. */
  #expected = firstCapacity;

  /** `passOn` is the driver's reader. */
  constructor(passOn: (bytes: Buffer) => void) {
    this.#passOn = passOn;
  }

  /** Takes the rows of the statement that is sent next, of one column each; rows of more columns go on as they came. */
  begin(): void {
    this.#isTaking = true;
    this.#hasTaken = false;
    this.#length = 0;
  }

  /** Takes no more, and gives what was taken. */
  end(): Buffer {
    this.#isTaking = false;
    const taken = this.#joined.subarray(0, this.#length);
    this.#expected = Math.max(firstCapacity, this.#length + (this.#length >> 3));
    // Whoever has the bytes keeps them.
    this.#joined = Buffer.allocUnsafeSlow(0);
    this.#length = 0;
    return taken;
  }

  /** Reads what came from the server. */
  read(chunk: Buffer): void {
    const bytes = this.#held === null ? chunk : Buffer.concat([this.#held, chunk]);
    this.#held = null;
    let at = 0;
    let passFrom = 0;
    while (at < bytes.length) {
      if (this.#left === 0) {
        const begun = this.#beginMessage(bytes, at);
        if (begun === null) {
          this.#held = bytes.subarray(at);
          break;
        }
        // What came before a row goes on before it, and its head goes nowhere.
        if (this.#isRow) {
          this.#pass(bytes, passFrom, at);
          passFrom = begun;
        }
        at = begun;
      }
      const end = Math.min(bytes.length, at + this.#left);
      this.#left -= end - at;
      if (this.#isRow) {
        this.#append(bytes, at, end);
        passFrom = end;
      }
      at = end;
    }
    this.#pass(bytes, passFrom, at);
  }

  /** Where the value of a row begins, or the message itself; null when its head is not whole. */
  #beginMessage(bytes: Buffer, at: number): number | null {
    const mayBeRow = this.#isTaking && bytes[at] === dataRow;
    if (bytes.length - at < (mayBeRow ? rowHeadLength : headLength)) return null;
    this.#isRow = mayBeRow && bytes.readUInt16BE(at + headLength) === 1;
    if (!this.#isRow) {
      this.#left = 1 + bytes.readUInt32BE(at + 1);
      return at;
    }
    const length = bytes.readInt32BE(at + rowHeadLength - 4);
    this.#left = Math.max(0, length);
    // No value, as SQL's string_agg has it: passed over.
    if (length >= 0) this.#beginValue();
    return at + rowHeadLength;
  }

  #beginValue(): void {
    if (this.#hasTaken) this.#append(separator, 0, 1);
    this.#hasTaken = true;
  }

  #append(bytes: Buffer, from: number, to: number): void {
    const length = this.#length + to - from;
    if (length > this.#joined.length) this.#grow(length);
    bytes.copy(this.#joined, this.#length, from, to);
    this.#length = length;
  }

  #grow(least: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(least, this.#expected, 2 * this.#joined.length));
    this.#joined.copy(larger, 0, 0, this.#length);
    this.#joined = larger;
  }

  #pass(bytes: Buffer, from: number, to: number): void {
    if (from < to) this.#passOn(bytes.subarray(from, to));
  }
}

const separator = Buffer.of(comma);

type Listener = (...values: unknown[]) => void;

/**
 * What of the driver's connection is not in its types: where it begins to listen to a socket. There is no public means:
 * under TLS the driver makes the socket of the plain bytes itself, and its parser makes every value a string.
 */
interface Attachable {
  attachListeners(stream: Pick<EventEmitter, 'on'>): void;
}

/** The driver's client, through which the rows of a statement can be taken as bytes, on a socket that is ours. */
export class RowClient extends Client {
  readonly rowBytes: RowBytes;
  readonly #socket: Socket;

  constructor(config?: ClientConfig) {
    const socket = new Socket();
    super({ ...config, stream: () => socket });
    this.#socket = socket;
    this.rowBytes = tap(this.connection as unknown as Attachable);
  }

  /** Ends the connection at once, without a word to the server. */
  cut(): void {
    this.#socket.destroy();
  }
}

/** The client as the one that it was made as. Throws for a client of another kind. */
export function asRowClient(client: ClientBase): RowClient {
  if (client instanceof RowClient) return client;
  throw new Error('The rows of this client cannot be taken as bytes');
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
