import { setTimeout as wait } from 'node:timers/promises';
import { newAddress } from '../../test/service/ask.ts';
import { RawConnection, type RawRequest } from '../run/raw-connection.ts';

export interface LoadOutcome {
  readonly answered: number;
  /** Responses that started and did not end. */
  readonly cut: number;
  /** Requests without a response that were sent before the stop signal. */
  readonly unanswered: number;
  /** Requests without a response that were sent after the signal on an open connection: a client repeats them. */
  readonly late: number;
  readonly faults: readonly string[];
}

const keptConnections = 16;
const freshShare = 10;

/** A load at a steady rate that lasts until the server accepts no more connections. */
interface SteadyLoad {
  noteStop(): void;
  readonly done: Promise<LoadOutcome>;
}

/** Sends requests in turn at `ratePerSecond`: on kept connections, and every tenth on a new one. */
export function startLoad(
  port: number,
  ratePerSecond: number,
  requests: readonly RawRequest[],
): SteadyLoad {
  const counts = { answered: 0, cut: 0, unanswered: 0, late: 0 };
  const faults: string[] = [];
  const kept: RawConnection[] = [];
  let isStopping = false;
  let isOver = false;
  const one = async (request: RawRequest, isFresh: boolean): Promise<void> => {
    const connection = (isFresh ? undefined : kept.pop()) ?? new RawConnection(port, newAddress());
    const wasStopping = isStopping;
    const { answers, rest, isClosed, wasOpen } = await connection.send([request]);
    const [answer] = answers;
    if (!wasOpen) isOver = isStopping;
    if (answer !== undefined) {
      counts.answered += 1;
      if (answer.status >= 500) faults.push(`${answer.status} to ${request.target}`);
      const isLast = isClosed || answer.lines['connection']?.includes('close') === true;
      if (!isLast && !isFresh && kept.length < keptConnections) kept.push(connection);
      else connection.close();
    } else if (rest !== '') counts.cut += 1;
    else if (wasOpen && wasStopping) counts.late += 1;
    else if (!wasStopping) counts.unanswered += 1;
  };
  const run = async (): Promise<LoadOutcome> => {
    const underWay: Promise<void>[] = [];
    const startedMs = performance.now();
    for (let n = 0; !isOver; n += 1) {
      const dueMs = startedMs + (n * 1000) / ratePerSecond - performance.now();
      if (dueMs > 1) await wait(dueMs);
      underWay.push(one(requests[n % requests.length]!, n % freshShare === 0));
    }
    await Promise.all(underWay);
    for (const connection of kept) connection.close();
    return { ...counts, faults };
  };
  return { noteStop: () => (isStopping = true), done: run() };
}
