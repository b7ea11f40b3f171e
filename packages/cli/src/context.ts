import type { Readable, Writable } from 'node:stream';

/** The streams, settings and clock of a command; tests replace them. */
export interface CommandContext {
  /** For secrets, which must not be on the command line. */
  readonly stdin: Readable;
  /** For results only. */
  readonly stdout: Writable;
  /** For everything else: progress, hints, problems. */
  readonly stderr: Writable;
  /** Whether a person watches stderr. */
  readonly isTerminal: boolean;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly now: () => Date;
}

/** The flag of commands that can print their result as JSON. */
export interface JsonOption {
  readonly json?: true;
}

/** Writes one or more lines and a final line feed. */
export function writeLine(stream: Writable, text: string): void {
  stream.write(`${text}\n`);
}

/** Writes a result on stdout: `record` as a line of JSON with `--json`, else `text`. */
export function writeResult(
  { stdout }: CommandContext,
  { json }: JsonOption,
  record: object,
  text: string,
): void {
  writeLine(stdout, json === true ? JSON.stringify(record) : text);
}
