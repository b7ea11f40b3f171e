import { randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { startRelay, type Relay } from '../../packages/server/src/limiter/testing/relay.ts';
import { ask, askJson, type Answer } from '../../test/service/ask.ts';
import type { Owner } from '../../test/service/owners.ts';
import { integerFrom, randomFrom, type Random } from '../../test/service/random.ts';
import { startServer, withServer, type ServerProcess } from '../../test/service/server-process.ts';
import type { Check, Outcome } from '../run/check.ts';

const writesOfRound = 20;
const mostCopies = 50;
const lostShare = 0.4;
const killAfterMs = { least: 1, most: 60 };
/** Refusals after which a client sends the request again. */
const again = [409, 503];
const flags = ['--coffer-rate-limit', '1000000'];
/** A connection carries one request, so that a loss concerns one. */
const agent = new Agent({ keepAlive: false });

export const check: Check = {
  id: 'F15',
  rounds: { short: 1, full: 50 },
  run: (rounds) =>
    withServer({ flags }, async ({ server, owner, database }): Promise<Outcome> => {
      const random = randomFrom(15);
      const relay = await startRelay(server.port, () => random() < lostShare);
      const job: Job = { database, owner, random, relay, server, sent: 0 };
      const problems: string[] = [];
      try {
        for (let round = 0; round < rounds; round += 1) problems.push(...(await playRound(job)));
      } finally {
        await relay.close();
        await job.server.stop();
      }
      const figure =
        `${rounds * writesOfRound} writes sent ${job.sent} times, ` +
        `${relay.lost()} responses lost, ${rounds} kills: ${problems.length} effects too many or missing`;
      return { figure, problems };
    }),
};

interface Job {
  readonly database: string;
  readonly owner: Owner;
  readonly random: Random;
  readonly relay: Relay;
  server: ServerProcess;
  sent: number;
}

interface Write {
  readonly key: string;
  readonly name: string;
  readonly copies: number;
}

async function playRound(job: Job): Promise<string[]> {
  const { random, relay, database } = job;
  const writes = Array.from({ length: writesOfRound }, (): Write => {
    const key = randomUUID();
    return { key, name: `Rule ${key}`, copies: integerFrom(random, 2, mostCopies) };
  });
  const sending = Promise.all(
    writes.map((write) =>
      Promise.all(Array.from({ length: write.copies }, () => sendUntilAnswered(job, write))),
    ),
  );
  await sleep(integerFrom(random, killAfterMs.least, killAfterMs.most));
  await job.server.stop();
  job.server = await startServer({ database, flags });
  relay.divert(job.server.port);
  const problems = await problemsOf(job, writes, await sending);
  const { url } = job.server;
  for (const { id } of await listRules(job))
    await ask(`${url}/coffer/rules/${id}`, { method: 'DELETE', token: job.owner.token });
  return problems;
}

async function sendUntilAnswered(job: Job, write: Write): Promise<Answer> {
  for (;;) {
    job.sent += 1;
    const answer = await post(job, job.relay.url, write, write.name).catch(() => null);
    if (answer !== null && !again.includes(answer.status)) return answer;
    await sleep(integerFrom(job.random, 1, 20));
  }
}

function post({ owner }: Job, url: string, { key }: Write, name: string): Promise<Answer> {
  const rule = { name, conditions: { amount: { sign: 'debit' } }, actions: { reviewed: true } };
  const headers = { 'idempotency-key': key };
  return askJson(`${url}/coffer/rules`, 'POST', owner.token, rule, { headers, agent });
}

async function problemsOf(
  job: Job,
  writes: readonly Write[],
  answers: readonly (readonly Answer[])[],
): Promise<string[]> {
  const { url } = job.server;
  const stored = await listRules(job);
  const problems: string[] = [];
  for (const [at, write] of writes.entries()) {
    const effects = stored.filter(({ name }) => name === write.name);
    if (effects.length !== 1) problems.push(`${write.name} exists ${effects.length} times`);
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

async function listRules({ server, owner }: Job) {
  const { text } = await ask(`${server.url}/coffer/rules`, { token: owner.token });
  return (JSON.parse(text) as { rules: { id: number; name: string }[] }).rules;
}
