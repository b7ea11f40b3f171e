import { inspect } from 'node:util';
import type { LogStream } from './log.ts';

const levelNames = new Map([
  [10, 'TRACE'],
  [20, 'DEBUG'],
  [30, 'INFO'],
  [40, 'WARN'],
  [50, 'ERROR'],
  [60, 'FATAL'],
]);

/** A line of the log: what the logger adds to each message, and the fields of the message. */
interface LogLine extends Readonly<Record<string, unknown>> {
  readonly level: number;
  /** Milliseconds since the Unix epoch. */
  readonly time: number;
  readonly msg?: string;
  readonly err?: { readonly stack?: string };
}

/**
 * Returns a stream that writes each JSON line of the log to `output` for people: local time, level, message, fields.
 *
 * The stack of an error follows on its own lines.
 */
export function readableLog(output: LogStream): LogStream {
  return { write: (line) => output.write(format(JSON.parse(line) as LogLine)) };
}

function format({ level, time, msg, err, ...rest }: LogLine): string {
  const shown = Object.entries(rest)
    .filter(([name]) => !['pid', 'hostname'].includes(name))
    .map(([name, value]) => ` ${name}=${valueText(value)}`);
  const clock = new Date(time).toTimeString().slice(0, 8);
  const name = (levelNames.get(level) ?? String(level)).padEnd(5);
  const stack = err?.stack === undefined ? '' : `\n${err.stack}`;
  return `${clock} ${name} ${msg ?? ''}${shown.join('')}${stack}\n`;
}

function valueText(value: unknown): string {
  return typeof value === 'string' ? value : inspect(value, { breakLength: Infinity });
}
