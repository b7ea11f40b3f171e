import { after } from 'node:test';

/** Closes something; a promise is waited for. */
type End = () => unknown;

interface Ends {
  readonly ofFile: End[];
  readonly ofProcess: End[];
}

declare global {
  /** The runner of the tests (scripts/tests/worker.ts) sets it, because one process runs many files. */
  var cofferTestEnds: Ends | undefined;
}

function endsOfThisFile(): Ends {
  const ends: Ends = { ofFile: [], ofProcess: [] };
  after(async () => {
    for (const end of [...ends.ofProcess, ...ends.ofFile].toReversed()) await end();
  });
  return ends;
}

const ends = globalThis.cofferTestEnds ?? endsOfThisFile();

/** Calls `end` after the last test of the running file, the latest first. */
export function endsWithFile(end: End): void {
  ends.ofFile.push(end);
}

/** Calls `end` after the last file of this process: for a server or browser that all its files share. */
export function endsWithProcess(end: End): void {
  ends.ofProcess.push(end);
}
