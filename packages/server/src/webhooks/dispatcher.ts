import {
  finishAttempt,
  advance,
  disable,
  dueWebhooks,
  nextStep,
  takeWebhook,
} from './deliveries.ts';
import type { AttemptResult, EventMessage, WebhookKey } from './deliveries.ts';
import { randomUUID } from 'node:crypto';
import { instantOf } from '@coffer/core/dates';
import { endLease, type Lease } from '../book/leases.ts';
import type { Engine } from '../db/engine.ts';
import { systemClock, type Log, type JobClock } from '../jobs/scheduler.ts';
import { notices, retryTiming } from './rules.ts';
import type { DisabledReason, RetryTiming, WebhookCounts } from './rules.ts';
import type { WebhookSender } from './webhook-sender.ts';

/** When webhooks are served. */
export interface DispatchTiming {
  /** How often the versions of books are read. */
  readonly pollMs: number;
  /** If a node dies, another one continues after this time. More than two timeouts of a request. */
  readonly leaseMs: number;
  /** How long one webhook is served before others get their turn. */
  readonly sliceMs: number;
  /** Webhooks that a node serves at once. */
  readonly mostAtOnce: number;
  readonly retry: RetryTiming;
}

const usualTiming: DispatchTiming = {
  pollMs: 1000,
  leaseMs: 60_000,
  sliceMs: 10_000,
  mostAtOnce: 16,
  retry: retryTiming,
};
/** After an error of the database. */
const restMs = 5000;

/** What the delivery of webhooks needs. */
export interface DispatcherOptions {
  readonly engine: Engine;
  readonly sender: WebhookSender;
  /** Where deliveries that fail are reported. */
  readonly log: Log;
  readonly counts: WebhookCounts;
  /** Default: the clock of the computer. */
  readonly clock?: JobClock;
  readonly timing?: DispatchTiming;
  /** The time until the first delivery. Default: none. */
  readonly delayMs?: number;
  /** From 0 to below 1. */
  readonly random?: () => number;
}

/** Webhooks that are being served. */
export interface RunningWebhooks {
  /** Aborts the requests to receivers, and resolves when nothing runs any more. */
  close(): Promise<void>;
}

/**
 * Delivers the changes of books to their webhooks, until closed.
 *
 * Each webhook has one request under way at a time, on the node that has its lease. The cursor in the database moves
 * only after a delivery, so that no event is lost when a node dies, but the last one may be sent again.
 */
export function startWebhooks(options: DispatcherOptions): RunningWebhooks {
  const dispatcher = new Dispatcher(options);
  const running = dispatcher.run();
  return {
    close: async () => {
      dispatcher.stop();
      await running;
    },
  };
}

class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #clock: JobClock;
  readonly #timing: DispatchTiming;
  #holder = '';
  readonly #closing = new AbortController();
  /** The webhooks that are being served now. */
  readonly #served = new Map<string, Promise<void>>();
  #wake = new AbortController();

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#timing = options.timing ?? usualTiming;
  }

  stop(): void {
    this.#closing.abort();
  }

  async run(): Promise<void> {
    const { signal } = this.#closing;
    const { delayMs = 0 } = this.#options;
    if (delayMs > 0) await this.#clock.sleep(delayMs, signal);
    this.#holder = randomUUID();
    while (!signal.aborted) {
      this.#wake = new AbortController();
      const waitMs = await this.#serveDue();
      await this.#clock.sleep(waitMs, AbortSignal.any([signal, this.#wake.signal]));
    }
    await Promise.all(this.#served.values());
  }

  /** Begins to serve webhooks that are due. Returns the time until the next look. */
  async #serveDue(): Promise<number> {
    const { mostAtOnce, pollMs } = this.#timing;
    const free = mostAtOnce - this.#served.size;
    if (free === 0) return pollMs;
    try {
      const due = await this.#options.engine.readStatement(() =>
        dueWebhooks(this.#clock.nowMs(), this.#holder, mostAtOnce),
      );
      const isNew = (key: WebhookKey) => !this.#served.has(nameOf(key));
      for (const key of due.filter(isNew).slice(0, free)) this.#begin(key);
      return pollMs;
    } catch (error) {
      this.#report(error, {});
      return restMs;
    }
  }

  #begin(key: WebhookKey): void {
    const serving = this.#serve(key)
      .catch((error: unknown) => {
        this.#report(error, placeOf(key));
        return false;
      })
      .then((hasMore) => {
        this.#served.delete(nameOf(key));
        // Webhooks that were waiting for a place have their turn now, and then this one again.
        if (hasMore) this.#wake.abort();
      });
    this.#served.set(nameOf(key), serving);
  }

  /** Serves a webhook until nothing is left, or its time is over. Returns whether something is left. */
  async #serve(key: WebhookKey): Promise<boolean> {
    const { engine } = this.#options;
    const { leaseMs, sliceMs } = this.#timing;
    const lease = await engine.write(() => takeWebhook(key, this.#holder, leaseMs));
    if (lease === null) return false;
    const serving = { lease };
    const untilMs = this.#clock.nowMs() + sliceMs;
    try {
      while (!this.#closing.signal.aborted && this.#clock.nowMs() < untilMs)
        if (!(await this.#step(key, serving))) return false;
      return !this.#closing.signal.aborted;
    } finally {
      await engine.write(() => endLease(serving.lease)).catch(() => undefined);
    }
  }

  /** Does one thing for a webhook. Returns whether there may be more to do. */
  async #step(key: WebhookKey, serving: { lease: Lease }): Promise<boolean> {
    const { engine } = this.#options;
    const next = await engine.read(() => nextStep(key, this.#clock.nowMs()));
    switch (next.is) {
      case 'rest':
        return false;
      case 'advance':
        await engine.write(() => advance(next.from, next.to));
        return true;
      case 'disable': {
        const at = instantOf(this.#clock.nowMs());
        if (await engine.write(() => disable(key, next.reason, at)))
          this.#noteDisabled(key, next.reason);
        return false;
      }
      case 'send':
        return this.#deliver(key, serving, next);
    }
  }

  async #deliver(
    key: WebhookKey,
    serving: { lease: Lease },
    { event, message }: EventMessage,
  ): Promise<boolean> {
    const { engine, sender, random = Math.random } = this.#options;
    const { leaseMs, retry: timing } = this.#timing;
    const outcome = await sender
      .send(message, this.#closing.signal)
      // The server stops. The event is sent again after the next start.
      .catch(() => null);
    if (outcome === null) return false;
    const nowMs = this.#clock.nowMs();
    const attempt = { key, lease: serving.lease, leaseMs, event, message, outcome, nowMs, timing };
    const { result, lease } = await engine.write(() =>
      finishAttempt({ ...attempt, random: random() }),
    );
    serving.lease = lease;
    this.#note(key, result, outcome.error);
    return result === 'delivered';
  }

  #note(key: WebhookKey, result: AttemptResult, error: string | null): void {
    const { counts, log } = this.#options;
    if (result === 'lost') return;
    if (result === 'delivered') {
      counts.delivered += 1;
      return;
    }
    counts.failed += 1;
    log.info({ ...placeOf(key), detail: error }, 'A delivery to a webhook failed');
    if (result !== 'failed') this.#noteDisabled(key, result);
  }

  #noteDisabled(key: WebhookKey, reason: DisabledReason): void {
    const { counts, log } = this.#options;
    counts.disabled[reason] += 1;
    log.warn({ ...placeOf(key), reason, detail: notices[reason] }, 'A webhook was disabled');
  }

  #report(error: unknown, place: object): void {
    if (this.#closing.signal.aborted) return;
    this.#options.log.error({ ...place, err: error }, 'Webhooks could not be served');
  }
}

function nameOf({ bookId, id }: WebhookKey): string {
  return `${bookId}/${id}`;
}

function placeOf({ bookId: book, id: webhook }: WebhookKey): object {
  return { book, webhook };
}
