import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cofferProgram, runProgram, type Said } from '../run/coffer.ts';

/** Run before the command: when it ends, it writes what it took to the file that is named to it. */
const preload = `
  import { writeFileSync } from 'node:fs';
  process.once('exit', () => {
    const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
    const taken = { peakBytes: maxRSS * 1024, cpuMs: (userCPUTime + systemCPUTime) / 1000 };
    writeFileSync(process.env.PROVE_TAKEN, JSON.stringify(taken));
  });
`;
const preloadUrl = `data:text/javascript,${encodeURIComponent(preload)}`;

/** What an import printed and what it took; it is killed when it takes too long. */
export interface Measured extends Said {
  /** The most memory that it held at once. */
  readonly peakBytes: number;
  /** Time of processors, which other programs on the machine hardly change. */
  readonly cpuMs: number;
}

/** Runs `coffer import` in a process of its own, as a user would, for at most `timeoutMs`. */
export async function measuredImport(
  file: string,
  options: readonly string[],
  timeoutMs: number,
): Promise<Measured> {
  const taken = `${file}.taken`;
  const program = [...cofferProgram, 'import', file, '--json', ...options];
  const environment = { PROVE_TAKEN: taken, NODE_OPTIONS: `--import=${preloadUrl}` };
  const said = await runProgram(program, { environment, timeoutMs });
  return { ...said, ...(await readTaken(taken)) };
}

/** A process that was killed has left nothing. */
async function readTaken(file: string): Promise<{ peakBytes: number; cpuMs: number }> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as { peakBytes: number; cpuMs: number };
  } catch {
    return { peakBytes: Infinity, cpuMs: Infinity };
  } finally {
    await rm(file, { force: true });
  }
}

const root = join(import.meta.dirname, '../..');

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
  await runProgram([...strace, trace, ...cofferProgram, 'import', file, ...options]);
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
