import { fillDemo } from '../../packages/server/src/demo/fill.ts';
import { openDatabase } from '../../packages/server/src/database.ts';
import { readConfig } from '../../packages/server/src/config.ts';
import type { Engine } from '../../packages/server/src/db/engine.ts';
import type { GoodRequest } from '../../packages/server/src/operations/testing/special-requests.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mock } from 'node:test';
import { apiOf } from '../../packages/server/src/all.ts';
import { createDiskStore } from '../../packages/server/src/files/disk.ts';
import { createApp } from '../../packages/server/src/http/app.ts';
import { createImportService } from '../../packages/server/src/imports/previews/service.ts';
import { createMemoryLimiter } from '../../packages/server/src/limiter/memory.ts';
import { ManualClock } from '../../packages/server/src/limiter/testing/manual-clock.ts';
import { nextId, numberedTables, setNextId } from '../../packages/server/src/maintenance/tables.ts';
import { targetOf } from '../../packages/server/src/operations/testing/catalogue.ts';
import { fixedServices } from '../../packages/server/src/operations/testing/fixed-services.ts';
import { outsideRecords } from '../../packages/server/src/operations/testing/outside-records.ts';
import { RecordBook } from '../../packages/server/src/operations/testing/record-book.ts';
import { testSender } from '../../packages/server/src/webhooks/testing/test-sender.ts';
import { addUser, importedAt, type User } from '../service/service-books.ts';
import { isOfUsers, signedIn } from '../service/signed-in.ts';
import { smallBook } from '../service/small-book.ts';
import type { Service } from '../service/started-service.ts';

/* The service with a fixed clock, and its responses without what differs from run to run. */

/** The time of every request: that at which the books were filled. */
const now = Date.parse(importedAt);

/** Headers that depend on the moment, on random values or on the connection. */
const passing =
  /^(date|connection|keep-alive|transfer-encoding|content-length|etag|(x-)?ratelimit-.*)$/;

interface Response {
  readonly status: number;
  readonly text: string;
  readonly headers: object;
}

export interface Sent {
  readonly method: string;
  readonly target: string;
  readonly as: User;
  readonly headers?: readonly string[];
  readonly body?: string | Uint8Array;
}

type App = ReturnType<typeof createApp>;

/** Where requests arrive. */
const port = 8080;
/** As many ids as no operation uses. */
const idsEach = 1_000_000;

/** A service whose clock is {@link now}, with providers that return the same to every request. */
export class RespondingService {
  readonly engine: Engine;
  /** Has {@link smallBook}. */
  readonly ada: User;
  readonly #folder: string;
  readonly services: typeof fixedServices;
  readonly #app: App;
  /** Ids of the newest user are shown as their distance from it. */
  #idsFrom = 0;
  #address = 0;
  #currencies = 0;

  private constructor(
    engine: Engine,
    ada: User,
    folder: string,
    services: typeof fixedServices,
    app: App,
  ) {
    this.engine = engine;
    this.ada = ada;
    this.#folder = folder;
    this.services = services;
    this.#app = app;
  }

  static async start(): Promise<RespondingService> {
    // What the service keeps and compares are times of the system's clock, in many rooms.
    mock.timers.enable({ apis: ['Date'], now });
    const { database } = readConfig({ database: 'sqlite::memory:' }, {});
    const engine = await openDatabase(database, { now: () => now });
    const ada = await addUser(engine, 'ada');
    await fillDemo(engine, ada.bookId, smallBook);
    const folder = mkdtempSync(join(tmpdir(), 'coffer-approved-'));
    const { trustedProxies, rateLimit } = readConfig({}, {});
    const services = {
      ...fixedServices,
      imports: createImportService(null, { error: () => undefined }),
      webhookSender: testSender(),
      assetSource: { ...fixedServices.assetSource, find: assetNamed },
      files: createDiskStore(folder),
    };
    const limiter = createMemoryLimiter({ rateLimit, clock: new ManualClock() });
    const options = { engine, limiter, trustedProxies, logLevel: 'silent' };
    return new RespondingService(
      engine,
      ada,
      folder,
      services,
      createApp({ ...options, ...apiOf(services) }),
    );
  }

  async close(): Promise<void> {
    await this.#app.close();
    await this.engine.close();
    rmSync(this.#folder, { recursive: true });
    mock.timers.reset();
  }

  /** Adds a user whose ids, and those of the records that follow, do not depend on the users before. */
  async newUser(name: string): Promise<User> {
    this.#idsFrom += idsEach;
    const from = this.#idsFrom;
    await this.engine.write(function* () {
      for (const table of numberedTables) {
        if ((yield* nextId(table)) <= from) yield* setNextId(table, from + 1);
      }
    });
    return addUser(this.engine, name);
  }

  /** The records of a user, with the same names in each run. */
  recordsOf(as: User): RecordBook {
    let names = 0;
    // Cryptocurrencies belong to all users.
    const next = (name: string) =>
      `${name} ${name.startsWith('http') ? (this.#currencies += 1) : (names += 1)}`;
    const origin = `http://localhost:${port}`;
    const outside = outsideRecords(
      this.engine,
      as,
      origin,
      () => next('Synced'),
      () => now,
    );
    const send = async (made: GoodRequest): Promise<unknown> => {
      const sent = this.sentOf(made, as);
      const { status, text } = await this.ask(sent);
      if (status >= 300) throw new Error(`${sent.method} ${sent.target} is ${status}: ${text}`);
      return text === '' ? undefined : JSON.parse(text);
    };
    class Named extends RecordBook {
      override fresh(example: string): string {
        return next(example);
      }
    }
    return new Named(send, outside);
  }

  sentOf(made: GoodRequest, as: User): Sent {
    const common = { method: made.operation.method, target: targetOf(made), as };
    const { file, body } = made;
    if (file !== undefined)
      return { ...common, headers: ['Content-Type', file.type], body: file.bytes };
    return body === undefined ? common : withJson(common, body);
  }

  async ask({ method, target, as, headers = [], body }: Sent): Promise<Response> {
    const place = { engine: this.engine, port } as Service;
    const own = isOfUsers(target)
      ? ((await signedIn(place, method, undefined, as)).headers ?? [])
      : ['Host', `127.0.0.1:${port}`, 'Authorization', `Bearer ${as.token}`, ...headers];
    const pairs = Array.from({ length: own.length / 2 }, (_, n) => own.slice(2 * n, 2 * n + 2));
    this.#address += 1;
    const answer = await this.#app.inject({
      method: method as 'GET',
      url: target,
      headers: Object.fromEntries(pairs) as Record<string, string>,
      remoteAddress: `10.0.${this.#address >> 8}.${this.#address & 255}`,
      ...(body !== undefined && { payload: body as Buffer }),
    });
    return { status: answer.statusCode, text: answer.payload, headers: answer.headers };
  }

  /** Sends a request, and returns the response as text: status, headers, and body. */
  async responseTo(sent: Sent): Promise<{ readonly status: number; readonly text: string }> {
    const { status, text, headers } = await this.ask(sent);
    const shown = Object.entries(headers)
      .filter(([name]) => !passing.test(name))
      .map(([name, value]) => `${name}: ${String(value)}`)
      .toSorted();
    return { status, text: `${status} ${this.#lasting(`${text} | ${shown.join('; ')}`)}` };
  }

  /** Returns a text without random values. */
  #lasting(text: string): string {
    const [from, end] = [this.#idsFrom, this.#idsFrom + idsEach];
    return text
      .replaceAll(/coffer_[0-9A-Za-z]{49}/g, 'TOKEN')
      .replaceAll(/whsec_[\w+/=]+/g, 'RANDOM')
      .replaceAll(/(expires=\d+&signature=)[\w-]+/g, '$1SIGNATURE')
      .replaceAll(/(?<![\w-])[\w-]{43}(?![\w-])/g, 'RANDOM')
      .replaceAll(/"duration_ms":\d+/g, '"duration_ms":0')
      .replaceAll(/msg_[\w-]{32}/g, 'RANDOM')
      .replaceAll(/(?<==)[\w-]{22}\.RANDOM/g, 'RANDOM')
      .replaceAll(/\b[0-9a-f]{32}\b/g, 'RANDOM')
      .replaceAll(/(?<!\d)\d{7,9}(?!\d)/g, (id) =>
        +id > from && +id < end ? `#${+id - from}` : id,
      );
  }
}

function assetNamed(coingecko_id: string) {
  return Promise.resolve({ coingecko_id, symbol: coingecko_id.replaceAll('-', ''), name: 'New' });
}

function withJson(sent: Sent, body: unknown): Sent {
  return { ...sent, headers: ['Content-Type', 'application/json'], body: JSON.stringify(body) };
}
