/** A message of a worker to the process that started it. */
export type FromWorker =
  /** It waits for a file. */
  | { readonly kind: 'next' }
  /** A test begins: the sign of life that the limit for hanging tests looks at. */
  | { readonly kind: 'begins'; readonly name: string }
  | {
      readonly kind: 'passed';
      readonly name: string;
      /** Why it was skipped, '' for no reason; null when it ran. */
      readonly skip: string | null;
    }
  | { readonly kind: 'failed'; readonly name: string; readonly error: string }
  /** A file is finished. Processor seconds are its own, and those of children that have ended. */
  | { readonly kind: 'finished'; readonly processorS: number; readonly wallS: number }
  /** There are no more files, and everything that was shared is closed. */
  | { readonly kind: 'done'; readonly open: readonly string[] };

/** The next file, as a path; null when there are no more. */
export interface ToWorker {
  readonly file: string | null;
}

/** Sends a message to the process that started this one. */
export function send(message: FromWorker): void {
  process.send?.(message);
}
