import type { Readable, Writable } from 'node:stream';

/** What a command finds around it; tests put their own in its place. */
export interface Surroundings {
  /** Where secrets come from, which must not stand on the command line. */
  readonly stdin: Readable;
  /** For results alone. */
  readonly stdout: Writable;
  /** For everything else: progress, hints, problems. */
  readonly stderr: Writable;
  /** Whether a person watches stderr. */
  readonly isTerminal: boolean;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly now: () => Date;
}

/** Writes a line, or several parted by line feeds. */
export function writeLine(stream: Writable, text: string): void {
  stream.write(`${text}\n`);
}
