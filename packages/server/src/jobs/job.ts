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

/** The clock and the timers of the scheduler. Tests replace them. */
export interface JobClock {
  /** Milliseconds since 1970. */
  nowMs(): number;
  /** Resolves after a time, or at once when the signal is aborted; never rejects. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** Where failures are reported. */
export interface JobLog {
  error(details: object, message: string): void;
}
