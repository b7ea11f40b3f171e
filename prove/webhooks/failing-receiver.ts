import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import type { Random } from '../../test/service/random.ts';

export interface Delivered {
  readonly id: string;
  readonly changes: readonly string[];
}

interface SentEvent {
  readonly data: { readonly changes: readonly Readonly<Record<string, unknown>>[] };
}

const failures = ['refuse', 'drop unread', 'drop', 'hang', 'error'] as const;

/** A receiver that fails half of the time, and refuses what its library cannot verify. */
export class FailingReceiver {
  /** What it has kept, in the order of arrival. It keeps some messages whose response it drops. */
  readonly delivered: Delivered[] = [];
  refused = 0;
  failed = 0;
  readonly #random: Random;
  readonly #server = createServer((request, response) => void this.#handle(request, response));
  #verifier: Webhook | undefined;
  #port = 0;

  constructor(random: Random) {
    this.#random = random;
    this.#server.on('connection', (socket) => {
      // The end of a process resets its connections.
      socket.on('error', () => undefined);
    });
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/hook`;
  }

  async start(): Promise<void> {
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  trust(secret: string): void {
    this.#verifier = new Webhook(secret);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const isForged = request.url === '/forged';
    const failure = this.#random() < 0.5 && !isForged ? this.#failure() : null;
    if (failure !== null) this.failed += 1;
    if (failure === 'drop unread') {
      request.socket.destroy();
      return;
    }
    const body = await readText(request).catch(() => null);
    if (body === null) return;
    if (failure === 'error') response.writeHead(this.#random() < 0.5 ? 500 : 429).end();
    else if (failure === null) response.writeHead(this.#keep(request, body)).end();
    else if (failure !== 'hang') {
      // Half of them were kept, but the sender does not know it.
      if (this.#random() < 0.5) this.#keep(request, body);
      request.socket.destroy();
    }
    // For a moment, connections are refused.
    if (failure === 'refuse') await this.#restart();
  }

  #failure(): (typeof failures)[number] {
    return failures[Math.floor(this.#random() * failures.length)]!;
  }

  #keep({ headers }: IncomingMessage, body: string): number {
    try {
      const event = this.#verifier!.verify(body, headers as Record<string, string>) as SentEvent;
      const changes = event.data.changes.map(({ version, record, id, kind }) =>
        [version, record, id, kind].join(' '),
      );
      this.delivered.push({ id: String(headers['webhook-id']), changes });
      return 204;
    } catch {
      this.refused += 1;
      return 401;
    }
  }

  async #restart(): Promise<void> {
    if (!this.#server.listening) return;
    await this.stop();
    await this.start();
  }
}
