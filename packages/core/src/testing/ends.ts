import { after } from 'node:test';

type End = () => Promise<void> | void;

declare global {
  /** What the runner calls when all test files of its process are over; undefined where a file runs by itself. */
  var cofferTestEnds: End[] | undefined;
}

/** Closes what the test files of a process share when the last of them is over. Call it while a module is evaluated. */
export function endsWithProcess(close: End): void {
  if (globalThis.cofferTestEnds === undefined) after(close);
  else globalThis.cofferTestEnds.push(close);
}
