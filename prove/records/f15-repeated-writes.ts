import { randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ask, type Answer } from '../run/ask.ts';
import { addOwner, inFolder, useStore, type Owner } from '../run/book.ts';
import type { Check, Outcome } from '../run/check.ts';
import { startLosingProxy, type LosingProxy } from '../run/losing-proxy.ts';
import { integerFrom, randomFrom, type Random } from '../run/random.ts';
import { startServer, type ServerProcess } from '../run/server-process.ts';

const writesOfRound = 20;
const mostCopies = 50;
const lostShare = 0.4;
const killAfterMs = { least: 1, most: 60 };
/** Refusals after which a client sends the request again. */
const again = [409, 503];
const flags = ['--coffer-rate-limit', '1000000'];
/** A connection carries one request, so that a loss concerns one. */
const agent = new Agent({ keepAlive: false });

/** F15: writes that are repeated with one key, while responses are lost and the server is killed. */
export const check: Check = {
  id: 'F15',
  rounds: { short: 1, full: 50 },
  run: (rounds) => inFolder((folder) => repeatWrites(join(folder, 'coffer.db'), rounds)),
};

interface Job {
  readonly database: string;
  readonly owner: Owner;
  readonly random: Random;
  server: ServerProcess;
  sent: number;
}

async function repeatWrites(database: string, rounds: number): Promise<Outcome> {
  const owner = await useStore(database, (store) => addOwner(store, 'owner'));
  const random = randomFrom(15);
  const server = await startServer({ database, flags });
  const job: Job = { database, owner, random, server, sent: 0 };
  const proxy = await startLosingProxy(server.port, () => random() < lostShare);
  const problems: string[] = [];
  try {
    for (let round = 0; round < rounds; round += 1) problems.push(...(await playRound(job, proxy)));
  } finally {
    await proxy.close();
    await job.server.end('SIGKILL');
  }
  const figure =
    `${rounds * writesOfRound} writes sent ${job.sent} times, ` +
    `${proxy.lost()} responses lost, ${rounds} kills: ${problems.length} effects too many or missing`;
  return { figure, problems };
}

/** A write, with the copies of its request that are sent at once. */
interface Write {
  readonly key: string;
  readonly name: string;
  readonly copies: number;
}

async function playRound(job: Job, proxy: LosingProxy): Promise<string[]> {
  const writes = Array.from({ length: writesOfRound }, (): Write => {
    const key = randomUUID();
    return { key, name: `Rule ${key}`, copies: integerFrom(job.random, 2, mostCopies) };
  });
  const sending = Promise.all(writes.map((write) => sendCopies(job, proxy.url, write)));
  await sleep(integerFrom(job.random, killAfterMs.least, killAfterMs.most));
  await job.server.end('SIGKILL');
  job.server = await startServer({ database: job.database, flags });
  proxy.target = job.server.port;
  const answers = await sending;
  const problems = await problemsOf(job, writes, answers);
  await deleteAll(job);
  return problems;
}

/** Sends all copies of a request, each until it gets a response that is not temporary. */
function sendCopies(job: Job, url: string, write: Write): Promise<Answer[]> {
  return Promise.all(
    Array.from({ length: write.copies }, () => sendUntilAnswered(job, url, write)),
  );
}

async function sendUntilAnswered(job: Job, url: string, write: Write): Promise<Answer> {
  for (;;) {
    job.sent += 1;
    const answer = await post(job, url, write, write.name).catch(() => null);
    if (answer !== null && !again.includes(answer.status)) return answer;
    await sleep(integerFrom(job.random, 1, 20));
  }
}

function post({ owner }: Job, url: string, { key }: Write, name: string): Promise<Answer> {
  return ask(`${url}/coffer/rules`, {
    method: 'POST',
    token: owner.token,
    agent,
    headers: { 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify({
      name,
      conditions: { amount: { sign: 'debit' } },
      actions: { reviewed: true },
    }),
  });
}

interface StoredRule {
  readonly id: number;
  readonly name: string;
}

async function problemsOf(
  job: Job,
  writes: readonly Write[],
  answers: readonly (readonly Answer[])[],
): Promise<string[]> {
  const stored = await listRules(job);
  const problems: string[] = [];
  for (const [at, write] of writes.entries()) {
    const effects = stored.filter(({ name }) => name === write.name);
    if (effects.length !== 1) problems.push(`${write.name} exists ${effects.length} times`);
    const { url } = job.server;
    const all = [...answers[at]!, await post(job, url, write, write.name)];
    if (all.some(({ status }) => status !== 201)) problems.push(`${write.name} was not created`);
    if (new Set(all.map(({ text }) => text)).size !== 1)
      problems.push(`${write.name} has different responses`);
    const firsts = all.filter(({ headers }) => headers['idempotency-replayed'] !== 'true');
    if (firsts.length > 1) problems.push(`${write.name} was performed ${firsts.length} times`);
    const other = await post(job, url, write, 'Another rule');
    if (other.status !== 422) problems.push(`Another body with a used key got ${other.status}`);
  }
  if (stored.length !== writes.length) problems.push(`The book has ${stored.length} rules`);
  return problems;
}

async function listRules({ server, owner }: Job): Promise<StoredRule[]> {
  const { text } = await ask(`${server.url}/coffer/rules`, { token: owner.token });
  return (JSON.parse(text) as { rules: StoredRule[] }).rules;
}

async function deleteAll(job: Job): Promise<void> {
  const { server, owner } = job;
  for (const { id } of await listRules(job))
    await ask(`${server.url}/coffer/rules/${id}`, { method: 'DELETE', token: owner.token });
}
