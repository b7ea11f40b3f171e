import type { Engine } from '../db/engine.ts';

/** Work that a server does regularly without a request. */
export interface Job {
  /** Unique among jobs. Also the name in the log and in the database. */
  readonly name: string;
  /** The time from the start of a run that succeeds to the next run, on all nodes together. */
  readonly everyMs: number;
  /**
   * Does the work. Only one node runs it at a time, but another node may continue after a failure, so a run must be
   * safe to repeat. It should end soon after `signal`: the server stops, or another node has taken over.
   */
  run(engine: Engine, nowMs: number, signal: AbortSignal): Promise<void>;
}

/** Where work without a request is reported. A Fastify logger has this form: details first, then what happened. */
export interface Log {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}
