import { globSync, readFileSync } from 'node:fs';

/** A call of a process: on a file of the database, or output. */
export type Deed =
  | {
      readonly kind: 'write';
      readonly file: string;
      readonly offset: number;
      readonly data: Buffer;
    }
  | { readonly kind: 'truncate'; readonly file: string; readonly size: number }
  | { readonly kind: 'sync'; readonly file: string }
  | { readonly kind: 'remove'; readonly file: string }
  | { readonly kind: 'say'; readonly text: string };

const calls = 'pwrite64,write,writev,fdatasync,fsync,ftruncate,unlink';

export function recorder(prefix: string): string[] {
  // One file for each thread: the engine runs in one thread, so its calls are in order.
  const options = ['-ff', '--seccomp-bpf', '-qq', '-y', '-xx', '-s', '1000000'];
  return ['strace', ...options, '-e', `trace=${calls}`, '-o', prefix];
}

/** Reads the files of {@link recorder}. Of several threads, the one that wrote to the database counts. */
export function readRecording(prefix: string, database: string): Deed[] {
  const recordings = globSync(`${prefix}.*`)
    .map((file) => deedsOf(readFileSync(file, 'latin1'), database))
    .filter((deeds) => deeds.some(({ kind }) => kind === 'write'));
  if (recordings.length !== 1)
    throw new Error(`${recordings.length} threads wrote to the database instead of one`);
  return recordings[0]!;
}

export function saidIn(deeds: readonly Deed[]): string[] {
  return deeds.flatMap((deed) => (deed.kind === 'say' ? [deed.text] : []));
}

function deedsOf(text: string, database: string): Deed[] {
  return text.split('\n').flatMap((line): Deed[] => {
    const deed = deedOf(line);
    if (deed === null) return [];
    if (deed.kind === 'say') return [deed];
    return deed.file === database || deed.file === `${database}-wal` ? [deed] : [];
  });
}

const linePattern = /^(\w+)\((.*)\) += (-?\d+)/;
const descriptorPattern = /^(\d+)<([^>]*)>(?:, )?/;

/** Returns the call in a line; null for a call that failed or is not of interest. */
function deedOf(line: string): Deed | null {
  const [, call = '', text = '', result = ''] = linePattern.exec(line) ?? [];
  if (call === '' || Number(result) < 0) return null;
  if (call === 'unlink') return { kind: 'remove', file: stringsOf(text).toString() };
  const [whole, , hexName = ''] = descriptorPattern.exec(text) ?? [''];
  const file = unescape(hexName).toString();
  const rest = text.slice(whole.length);
  switch (call) {
    case 'pwrite64': {
      const offset = Number(rest.slice(rest.lastIndexOf(' ') + 1));
      return { kind: 'write', file, offset, data: stringsOf(rest).subarray(0, Number(result)) };
    }
    case 'ftruncate':
      return { kind: 'truncate', file, size: Number(rest) };
    case 'fsync':
    case 'fdatasync':
      return { kind: 'sync', file };
    default:
      // Messages between threads are not output.
      return file.startsWith('anon_inode:')
        ? null
        : { kind: 'say', text: stringsOf(rest).toString() };
  }
}

function stringsOf(text: string): Buffer {
  const strings = text.match(/"[^"]*"(\.\.\.)?/g) ?? [];
  if (strings.some((quoted) => quoted.endsWith('...'))) throw new Error('strace shortened a write');
  return Buffer.concat(strings.map((quoted) => unescape(quoted.slice(1, -1))));
}

/** Decodes `\x41\x42`. */
function unescape(text: string): Buffer {
  return Buffer.from(text.replaceAll('\\x', ''), 'hex');
}
