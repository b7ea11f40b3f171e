import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { runProgram } from './run-program.ts';

const root = join(import.meta.dirname, '..');
const command = join(root, 'packages/cli/coffer.cjs');

/** What `coffer import` opens: paths of files that are there, and addresses that it connects to. */
export async function openedByImport(
  file: string,
  options: readonly string[],
): Promise<ReadonlySet<string>> {
  const trace = `${file}.trace`;
  // The runtime reads certificates that it is told of in its own time.
  const strace = 'env -u NODE_EXTRA_CA_CERTS strace -f -qq -e trace=openat,open,connect -o'.split(
    ' ',
  );
  await runProgram([...strace, trace, process.execPath, command, 'import', file, ...options]);
  const text = await readFile(trace, 'utf8');
  await rm(trace);
  const opens = /(?:open(?:at)?\([^"]*"([^"]*)"[^\n]* = \d+$)|(connect\([^\n]*)/gm;
  const opened = [...text.matchAll(opens)].map(([, path, connection]) => path ?? connection ?? '');
  return new Set(opened.filter((name) => !isOfProgram(name)));
}

/** The program itself, and what the runtime asks about the machine now and then. */
function isOfProgram(name: string): boolean {
  return name.startsWith(`${root}/`) || /^\/(?:proc|sys)\//.test(name);
}
