import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { endProgram, startProgram } from '../../packages/core/src/testing/starts.ts';
import { positionAfter, readChanges } from '../../packages/server/src/changes/feed.ts';
import { createWebhook, openWebhookSender, webhookOf } from '../../packages/server/src/main.ts';
import type { Engine } from '../../packages/server/src/main.ts';
import { addOwner, useStore } from '../../test/service/owners.ts';
import { joined, named, type Check } from '../run/check.ts';
import { onEachEngine, type EngineName } from '../run/engines.ts';
import { integerFrom, randomFrom, type Random } from '../../test/service/random.ts';
import { FailingReceiver, type Delivered } from './failing-receiver.ts';
import { sealingKey, type NodeOrder } from './node-order.ts';

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
    const sender = openWebhookSender(sealingKey, '127.0.0.1');
    const made = await createWebhook(store, sender, {
      ...{ bookId, actor: 'command', url: receiver.url, after: '1' },
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
      ...{ 'webhook-id': id, 'webhook-signature': signature },
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    };
    const { status } = await fetch(target, { method: 'POST', headers, body: sent });
    if (status !== 401) throw new Error(`A forged message was accepted with ${status}`);
  }
  return forged.length;
}
