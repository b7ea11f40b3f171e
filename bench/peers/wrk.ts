import { execFile } from 'node:child_process';
import { cpus } from 'node:os';
import { promisify } from 'node:util';
import { processAndChildren } from '../measure/processor-time.ts';
import { measureInTurns } from '../measure/turns.ts';
import type { Figure } from '../report/figure.ts';
import { findProgram } from '../../packages/core/src/testing/starts.ts';
import { systemFolders } from './peer.ts';

const execute = promisify(execFile);
const seconds = 2;
const serverProcessor = '0';
const clientProcessor = '1';

interface WrkTarget {
  readonly pid: number;
  readonly url: string;
  readonly token: string;
}

/**
 * Measures requests a second of servers on one processor, by `wrk` with eight connections on another, in turn. nginx is
 * the unit of the share. Returns nothing where a program or a second processor is missing.
 */
export async function measureRates(
  targets: Readonly<Record<'nginx' | 'bare Node' | 'Coffer', WrkTarget>>,
): Promise<Figure[]> {
  const programs = ['wrk', 'taskset'].map((name) => findProgram(name, systemFolders));
  const [wrk, taskset] = programs;
  if (!wrk || !taskset || cpus().length < 2) {
    console.log('  requests a second are not measured: missing: wrk, taskset or two processors');
    return [];
  }
  for (const { pid } of Object.values(targets))
    for (const each of processAndChildren(pid))
      await execute(taskset, ['-a', '-c', '-p', serverProcessor, String(each)]);
  const rates = Object.entries(targets).map(([name, target]) => {
    return [name, () => rateOf(taskset, wrk, target)] as const;
  });
  const samples = await measureInTurns(Object.fromEntries(rates), { rounds: 3 });
  const name = 'peers: repeated page against nginx’s static file, requests a second';
  return [
    samples.times(name, 'Coffer', 'nginx', { unit: 'of nginx', atLeast: 0.5 }),
    ...samples.medians('peers: requests a second on one processor, ', 'a second'),
  ];
}

async function rateOf(taskset: string, wrk: string, { url, token }: WrkTarget): Promise<number> {
  const load = ['-t1', '-c8', `-d${seconds}s`, '-H', `Authorization: Bearer ${token}`, url];
  const { stdout } = await execute(taskset, ['-c', clientProcessor, wrk, ...load]);
  const failed = /Non-2xx or 3xx responses: \d+|Socket errors: .*/.exec(stdout)?.[0];
  if (failed !== undefined) throw new Error(`${url}: ${failed}`);
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]);
}
