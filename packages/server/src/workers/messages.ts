/**
 * What the process sends to a thread. A thread has one turn at a time, which begins with `run` or `more`:
 *
 * - `run`: a task, as plain data. The first element of `cancelled`, in shared memory, becomes 1 when nobody wants its
 *   result any more.
 * - `more`: the next pieces of a stream.
 * - `drop`: nobody wants the result, or the rest of the stream.
 * - `end`: close the engine and end.
 */
export type ToThread =
  | {
      readonly is: 'run';
      readonly id: number;
      readonly task: unknown;
      readonly cancelled: Int32Array;
    }
  | { readonly is: 'more' | 'drop'; readonly id: number }
  | { readonly is: 'end' };

/** What a thread sends back. Each message but `progress` ends its turn. */
export type FromThread =
  | { readonly is: 'progress'; readonly id: number; readonly progress: unknown }
  | { readonly is: 'done'; readonly id: number; readonly result: ThreadResult }
  | {
      readonly is: 'pieces';
      readonly id: number;
      readonly pieces: Uint8Array[];
      readonly isLast: boolean;
    }
  | { readonly is: 'failed'; readonly id: number; readonly error: unknown };

/** The result of a task, as it is sent. */
export interface ThreadResult {
  /** Plain data. */
  readonly value: unknown;
  /** Bytes, which are handed over without a copy. */
  readonly pieces: readonly Uint8Array[];
  /** Whether more bytes follow, a turn at a time. */
  readonly isStream: boolean;
}
