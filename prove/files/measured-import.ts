import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cofferProgram, runProgram, type Said } from '../../test/service/coffer.ts';

/** Loaded before the command: at the end it writes memory and processor time to the file `PROVE_TAKEN`. */
const preload = `
  import { writeFileSync } from 'node:fs';
  process.once('exit', () => {
    const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
    const taken = { peakBytes: maxRSS * 1024, cpuMs: (userCPUTime + systemCPUTime) / 1000 };
    writeFileSync(process.env.PROVE_TAKEN, JSON.stringify(taken));
  });
`;
const preloadUrl = `data:text/javascript,${encodeURIComponent(preload)}`;

export interface Measured extends Said {
  readonly peakBytes: number;
  /** Processor time, on which other programs have little effect. */
  readonly cpuMs: number;
}

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

/** A killed process has written nothing. */
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

export async function openedByImport(
  file: string,
  options: readonly string[],
): Promise<ReadonlySet<string>> {
  const trace = `${file}.trace`;
  // With this variable Node opens a certificate file at some later time.
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

/** The program itself, and files about the machine that the runtime reads sometimes. */
function isOfProgram(name: string): boolean {
  return name.startsWith(`${root}/`) || /^\/(?:proc|sys)\//.test(name);
}
