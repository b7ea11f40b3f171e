import type { EventEmitter } from 'node:events';
import { Socket, type NetConnectOpts, type SocketConstructorOpts } from 'node:net';
import { Client, type ClientBase, type ClientConfig } from 'pg';

/** Type, length, column count, length of the first value: the bytes before the value of a row. */
const rowHeadLength = 11;
const headLength = 5;
const dataRow = 0x44;
const firstCapacity = 65_536;
const readBytes = 65_536;

/**
 * A filter between the socket and the driver, which would decode every value to a string. Between `begin` and `end` it
 * removes the rows of a statement from the stream and joins their bytes.
 *
 * It knows only where messages of the protocol start and end. It passes everything else to the driver unchanged.
 * Source: PostgreSQL manual, 55.7, message formats.
 */
export class RowBytes {
  readonly #passOn: (bytes: Buffer) => void;
  #isTaking = false;
  #hasTaken = false;
  #separator: Buffer = Buffer.alloc(0);
  /** The start of a message whose head is incomplete. */
  #incomplete: Buffer | null = null;
  /** How many bytes of the current message are missing, and whether it is a row to take. */
  #left = 0;
  #isRow = false;
  #joined: Buffer = Buffer.allocUnsafeSlow(firstCapacity);
  #length = 0;
  /** The places of the values that are returned one by one; null if they are joined. */
  #places: { start: number; length: number }[] | null = null;
  /** The size of the last result plus an eighth. The next one usually has a similar size. */
  #expected = firstCapacity;

  /** `passOn` passes bytes to the driver. */
  constructor(passOn: (bytes: Buffer) => void) {
    this.#passOn = passOn;
  }

  /**
   * Starts taking rows of one column from the stream, with a separator between two of them. Rows with more columns are
   * passed on. `spare`: an earlier result, which is overwritten.
   */
  begin(separator: string, spare?: Buffer): void {
    this.#separator = Buffer.from(separator);
    if (spare !== undefined) this.#joined = Buffer.from(spare.buffer);
    this.#isTaking = true;
    this.#hasTaken = false;
    this.#length = 0;
    this.#places = null;
  }

  /** Starts taking rows of one column, as {@link begin} does, but keeps each apart. */
  beginEach(spare?: Buffer): void {
    this.begin('', spare);
    this.#places = [];
  }

  /** Stops taking rows and returns their bytes. */
  end(): Buffer {
    this.#isTaking = false;
    const taken = this.#joined.subarray(0, this.#length);
    this.#expected = Math.max(firstCapacity, this.#length + (this.#length >> 3));
    // The caller keeps the bytes, so the buffer is not used again.
    this.#joined = Buffer.allocUnsafeSlow(0);
    this.#length = 0;
    return taken;
  }

  /** Stops taking rows and returns the bytes of each. All begin in one buffer, at a multiple of 8 bytes. */
  endEach(): Buffer[] {
    const places = this.#places ?? [];
    const joined = this.end();
    return places.map(({ start, length }) => joined.subarray(start, start + length));
  }

  /** Processes bytes from the server. They are not used afterwards, so the next ones may overwrite them. */
  read(chunk: Buffer): void {
    const bytes = this.#incomplete === null ? chunk : Buffer.concat([this.#incomplete, chunk]);
    this.#incomplete = null;
    let at = 0;
    let passFrom = 0;
    while (at < bytes.length) {
      if (this.#left === 0) {
        const begun = this.#beginMessage(bytes, at);
        if (begun === null) {
          this.#incomplete = Buffer.from(bytes.subarray(at));
          break;
        }
        // Pass on what came before the row, and drop its head.
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

  /** Returns where the value of a row, or any other message, starts; null if its head is incomplete. */
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
    // Skip null, as string_agg does.
    if (length >= 0) this.#beginValue(length);
    return at + rowHeadLength;
  }

  #beginValue(length: number): void {
    if (this.#places !== null) {
      this.#length = 8 * Math.ceil(this.#length / 8);
      this.#places.push({ start: this.#length, length });
    } else if (this.#hasTaken) this.#append(this.#separator, 0, this.#separator.length);
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
    if (from < to) this.#passOn(Buffer.from(bytes.subarray(from, to)));
  }
}

type Listener = (...values: unknown[]) => void;

/**
 * A method of the driver's connection that is not in its types: it starts listening to a socket. There is no public
 * way: under TLS the driver creates the decrypted socket itself, and its parser converts every value to a string.
 */
interface Attachable {
  attachListeners(stream: Pick<EventEmitter, 'on'>): void;
}

/**
 * Returns a socket that reads into one buffer. A new buffer for each piece would cause so many major collections that
 * an export takes twice as long.
 */
function newSocket(): Socket {
  const buffer = Buffer.allocUnsafeSlow(readBytes);
  const callback = (count: number): boolean => {
    socket.emit('data', buffer.subarray(0, count));
    return true;
  };
  const options: SocketConstructorOpts & Pick<NetConnectOpts, 'onread'> = {
    onread: { buffer, callback },
  };
  const socket = new Socket(options);
  return socket;
}

/** The driver's client with its own socket, which can return the rows of a statement as bytes. */
export class RowClient extends Client {
  readonly rowBytes: RowBytes;
  readonly #socket: Socket;

  constructor(config?: ClientConfig) {
    const socket = newSocket();
    super({ ...config, stream: () => socket });
    this.#socket = socket;
    this.rowBytes = tap(this.connection as unknown as Attachable);
  }

  /** The process of the server that the connection was opened with; the driver does not declare it. */
  get serverProcess(): number | null {
    return (this as unknown as { readonly processID: number | null }).processID;
  }

  /** Closes the connection at once, without notifying the server. */
  cut(): void {
    this.#socket.destroy();
  }
}

/** Casts a client to the {@link RowClient} that it is. Throws for any other client. */
export function asRowClient(client: ClientBase): RowClient {
  if (client instanceof RowClient) return client;
  throw new Error('The client is not a RowClient: it cannot return rows as bytes');
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
