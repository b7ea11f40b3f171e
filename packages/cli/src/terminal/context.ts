import type { Readable, Writable } from 'node:stream';

/** The streams, environment and clock of a command. Tests replace them. */
export interface CommandContext {
  /** For secrets, which must not be on the command line, and for confirmations. */
  readonly stdin: Readable;
  /** For results only. */
  readonly stdout: Writable;
  /** For everything else: progress, hints and errors. */
  readonly stderr: Writable;
  /** Whether stderr is a terminal. */
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

/** Writes a result to stdout: with `--json` the `record` as a line of JSON, else `text`. */
export function writeResult(
  { stdout }: CommandContext,
  { json }: JsonOption,
  record: object,
  text: string,
): void {
  writeLine(stdout, json === true ? JSON.stringify(record) : text);
}
