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
