import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { endProgram, startProgram } from '../../packages/core/src/testing/starts.ts';
import { positionAfter, readChanges } from '../../packages/server/src/history/feed/changes.ts';
import { parsePrivateTargets } from '../../packages/server/src/config.ts';
import { privateTargetsOf } from '../../packages/server/src/webhook-targets.ts';
import { createWebhookSender } from '../../packages/server/src/webhooks/webhook-sender.ts';
import { addOwner, useStore } from '../../test/service/owners.ts';
import { integerFrom, randomFrom, type Random } from '../../test/service/random.ts';
import { joined, named, type Check } from '../run/check.ts';
import { onEachEngine, type EngineName } from '../run/engines.ts';
import { sealingKey, type NodeOrder } from './hooked-writer.ts';
import { createWebhook } from '../../packages/server/src/webhooks/actions.ts';
import { webhookOf } from '../../packages/server/src/webhooks/stored.ts';
import type { Engine } from '../../packages/server/src/db/engine.ts';

const seed = 35;
/** On average, a version has about as many changes. */
const changesOfVersion = 10;
const changesOfKill = 200;
const killAfterMs = { least: 50, most: 500 };
const mostMs = 20 * 60_000;

export const check: Check = {
  id: 'F35',
  needs: ['postgres'],
  rounds: { short: 200, full: 10_000 },
  run: async (changes) =>
    joined(
      await onEachEngine((engine, database) => deliverAll(engine, database, changes)),
      ` (seed ${seed})`,
    ),
};

interface Scene {
  readonly receiver: FailingReceiver;
  readonly order: NodeOrder;
  readonly random: Random;
  readonly nodes: ChildProcess[];
  kills: number;
}

async function deliverAll(engine: EngineName, database: string, changes: number) {
  const random = randomFrom(seed);
  const receiver = new FailingReceiver(random);
  await receiver.start();
  const versions = Math.ceil(changes / changesOfVersion);
  return useStore(database, async (store) => {
    const { bookId } = await addOwner(store, 'owner');
    const sender = createWebhookSender({
      encryptionKey: sealingKey,
      privateTargets: privateTargetsOf(parsePrivateTargets('127.0.0.1')),
    });
    const made = await createWebhook(store, sender, {
      bookId,
      actor: 'command',
      url: receiver.url,
      after: '1',
    });
    receiver.trust(made.secret);
    const order = { database, bookId, seed, versions: versions + 1 };
    // A file has one server at a time.
    const nodeCount = engine === 'SQLite' ? 1 : 2;
    const nodes: ChildProcess[] = [];
    const scene: Scene = { receiver, order, random, nodes, kills: 0 };
    try {
      for (let at = 0; at < nodeCount; at += 1) nodes.push(await startNode(scene, at));
      await runNodes(scene, Math.max(2, Math.ceil(changes / changesOfKill)), () =>
        isDone(store, bookId, made.id, order.versions),
      );
      const forged = await forge(receiver, made.secret);
      const expected = await expectedOf(store, bookId);
      const problems = problemsOf(receiver.delivered, expected);
      if (receiver.refused !== forged) problems.push('the library refused other messages');
      const count = receiver.delivered.length;
      const figure =
        `${engine}: ${expected.length} changes, ${scene.kills} kills, ${receiver.failed} failed requests, ` +
        `${count} messages, ${count - new Set(receiver.delivered.map(({ id }) => id)).size} repeated, ` +
        `${forged} forged or replayed, all refused`;
      return { figure, problems: named(engine, problems) };
    } finally {
      await Promise.all(nodes.map((node) => endProgram(node)));
      await receiver.stop();
    }
  });
}

/** Runs the nodes and kills them at random moments; afterwards they run until everything is delivered. */
async function runNodes(scene: Scene, kills: number, isOver: () => Promise<boolean>) {
  const { nodes, random } = scene;
  const untilMs = performance.now() + mostMs;
  while (!(await isOver()) || scene.kills < kills) {
    if (performance.now() > untilMs) throw new Error('Not everything was delivered in 20 minutes');
    await wait(integerFrom(random, killAfterMs.least, killAfterMs.most));
    if (scene.kills >= kills) continue;
    const at = integerFrom(random, 0, nodes.length - 1);
    await endProgram(nodes[at]!);
    scene.kills += 1;
    nodes[at] = await startNode(scene, at);
  }
}

async function startNode({ order, kills }: Scene, at: number): Promise<ChildProcess> {
  const own = { ...order, seed: seed * 1000 + kills * 10 + at };
  const program = join(import.meta.dirname, 'hooked-writer.ts');
  const command = [process.execPath, program, JSON.stringify(own)];
  const { child } = await startProgram(command, /^started$/m, {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return child;
}

async function isDone(store: Engine, bookId: number, id: number, versions: number) {
  const webhook = await store.read(() => webhookOf(bookId, id));
  if (webhook.disabled_reason !== null) throw new Error(`Disabled: ${webhook.disabled_reason}`);
  return webhook.cursor_version > versions;
}

async function expectedOf(store: Engine, bookId: number): Promise<string[]> {
  const { changes } = await store.read(() => readChanges(bookId, positionAfter(1), 1_000_000));
  return changes.map(({ version, record, id, kind }) => `${version} ${record} ${id} ${kind}`);
}

/** Compares what arrived with what was committed. A repeated message must be the one that arrived last. */
function problemsOf(delivered: readonly Delivered[], expected: readonly string[]): string[] {
  const problems: string[] = [];
  const seen = new Set<string>();
  const arrived: string[] = [];
  let last = '';
  for (const { id, changes } of delivered) {
    if (!seen.has(id)) arrived.push(...changes);
    else if (id !== last) problems.push(`The message ${id} arrived again after a later one`);
    seen.add(id);
    last = id;
  }
  const at = expected.findIndex((change, n) => change !== arrived[n]);
  if (at !== -1 || arrived.length !== expected.length)
    problems.push(
      `${arrived.length} of ${expected.length} changes arrived; the first wrong: ${at}`,
    );
  return problems;
}

/** Sends messages that the owner of the secret did not send, or not now. Returns their number. */
async function forge({ url }: FailingReceiver, secret: string): Promise<number> {
  const target = new URL('/forged', url);
  const body = '{"type":"book.changed","data":{"changes":[]}}';
  const now = new Date();
  const old = new Date(now.getTime() - 301_000);
  const good = { id: 'msg_1', at: now, signature: new Webhook(secret).sign('msg_1', now, body) };
  const other = new Webhook(Buffer.alloc(32, 9).toString('base64'));
  const forged = [
    { ...good, body: body.replace('[]', '[1]') },
    { ...good, body, id: 'msg_2' },
    { ...good, body, signature: other.sign('msg_1', now, body) },
    { ...good, body, signature: 'v1,' },
    { ...good, body, at: old },
    { ...good, body, at: old, signature: new Webhook(secret).sign('msg_1', old, body) },
  ];
  for (const { id, at, signature, body: sent } of forged) {
    const headers = {
      'webhook-id': id,
      'webhook-signature': signature,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    };
    const { status } = await fetch(target, { method: 'POST', headers, body: sent });
    if (status !== 401) throw new Error(`A forged message was accepted with ${status}`);
  }
  return forged.length;
}

interface Delivered {
  readonly id: string;
  readonly changes: readonly string[];
}

interface SentEvent {
  readonly data: { readonly changes: readonly Readonly<Record<string, unknown>>[] };
}

const failures = ['refuse', 'drop unread', 'drop', 'hang', 'error'] as const;

/** A receiver that fails half of the time, and refuses what its library cannot verify. */
class FailingReceiver {
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
