import { Agent } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { ask, type Answer } from '../service/ask.ts';
import { integerFrom, randomFrom } from '../service/random.ts';
import { readAccount, type SyncedAccounts } from '../service/synced-accounts.ts';
import type { ModelBook } from './model-book.ts';

export interface Failure {
  readonly what: string;
  readonly method: 'GET' | 'POST';
  readonly beganMs: number;
  readonly endedMs: number;
}

/** Reads and writes over HTTP that continue until `stop`. */
export interface Traffic {
  readonly reads: () => number;
  readonly writes: () => number;
  readonly failures: readonly Failure[];
  /** Wrong responses with 200, a line for each. */
  readonly wrong: readonly string[];
  stop(): Promise<void>;
}

/** Where traffic goes. Each account has one writer. */
export interface Goal {
  readonly url: string;
  readonly book: ModelBook;
  readonly accounts: SyncedAccounts;
  readonly accountOwner: { readonly token: string };
  readonly accountCount: number;
  readonly written: number[];
  readonly seed: number;
  /** Each request has its own connection: a proxy that reloads its configuration closes persistent ones. */
  readonly isFresh?: boolean;
}

const readerCount = 4;
const pauseMs = 4;

/**
 * Starts readers, whose pages are compared with the model, and a writer for each account. A writer reads back what was
 * acknowledged: whichever node the proxy chooses, it must return that reading or a later one.
 */
export function startTraffic(goal: Goal): Traffic {
  const agent = new Agent({ keepAlive: goal.isFresh !== true });
  const failures: Failure[] = [];
  const wrong: string[] = [];
  const counts = { reads: 0, writes: 0 };
  let isOver = false;
  const attempt = async (
    method: 'GET' | 'POST',
    what: string,
    send: () => Promise<Answer>,
  ): Promise<string | null> => {
    const beganMs = performance.now();
    const fail = (how: string): null => {
      failures.push({ what: `${what}: ${how}`, method, beganMs, endedMs: performance.now() });
      return null;
    };
    try {
      const { status, text } = await send();
      return status === 200 ? text : fail(`${status} ${text.slice(0, 200)}`);
    } catch (error) {
      return fail((error as Error).message);
    }
  };
  const get = (path: string, { token }: { readonly token: string }): Promise<string | null> =>
    attempt('GET', path, () => ask(goal.url + path, { token, agent }));

  const read = async (reader: number): Promise<void> => {
    const random = randomFrom(goal.seed * 100 + reader);
    while (!isOver) {
      const limit = integerFrom(random, 1, 60);
      const offset = integerFrom(random, 0, goal.book.rowCount + 20);
      const path = `/v2/transactions?limit=${limit}&offset=${offset}`;
      const text = await get(path, goal.book.owner);
      if (text !== null) counts.reads += 1;
      const fault = text === null ? undefined : goal.book.fault(text, limit, offset);
      if (fault !== undefined) wrong.push(`a page is wrong: ${fault}`);
      await wait(pauseMs);
    }
  };
  const write = async (index: number): Promise<void> => {
    let least = goal.written[index]!;
    let id: number | undefined;
    while (!isOver) {
      goal.written[index]! += 1;
      const sent = goal.written[index]!;
      const path = `refresh of account ${index}`;
      const text = await attempt('POST', path, () => goal.accounts.refresh(goal.url, index, agent));
      if (text !== null) {
        counts.writes += 1;
        least = sent;
        ({ id } = readAccount(text));
      }
      if (id !== undefined) await readBack(id, least, sent);
      await wait(pauseMs);
    }
  };
  const readBack = async (id: number, least: number, most: number): Promise<void> => {
    const text = await get(`/v2/crypto/synced/${id}`, goal.accountOwner);
    if (text === null) return;
    const { reading } = readAccount(text);
    if (reading !== null && reading >= least && reading <= most) return;
    wrong.push(`account ${id} has reading ${reading}, acknowledged was ${least}, sent ${most}`);
  };
  const all = Promise.all([
    ...Array.from({ length: readerCount }, (_, reader) => read(reader)),
    ...Array.from({ length: goal.accountCount }, (_, index) => write(index)),
  ]);
  return {
    reads: () => counts.reads,
    writes: () => counts.writes,
    failures,
    wrong,
    stop: async () => {
      isOver = true;
      await all;
      agent.destroy();
    },
  };
}
