import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { endProgram, startProgram } from '../packages/core/src/testing/starts.ts';
import type { Figure } from './report/figure.ts';
import { sum } from './measure/processor-time.ts';
import { measureInTurns, type Measure } from './measure/turns.ts';
import type { Workspace } from './measure/workspace.ts';

const emptyServer = `
  const server = require('node:http').createServer((request, response) => response.end('{}'));
  server.listen(0, '127.0.0.1', () => console.log('http://127.0.0.1:' + server.address().port));`;

const command = fileURLToPath(new URL('../packages/cli/coffer.cjs', import.meta.url));
const cache = fileURLToPath(new URL('../node_modules/.cache/coffer', import.meta.url));
const firstOutput = fileURLToPath(new URL('measure/first-output.cjs', import.meta.url));
const rounds = 15;

/** Measures the processor time of starts, with an empty compile cache and with a warm one. */
export async function measureStarts({ databaseUrl, token }: Workspace): Promise<Figure[]> {
  const database = ['--database', databaseUrl];
  const serve = [command, 'serve', '--port', '0', ...database];
  const targets: Record<string, Measure> = {
    'empty Node server': () => untilResponse(['-e', emptyServer], '/', token),
    Coffer: () => untilResponse(serve, '/v2/transactions?limit=1', token),
    'coffer --version': () => untilOutput([command, '--version']),
    'coffer token list': () => untilOutput([command, 'token', 'list', ...database]),
  };
  const cold: Record<string, Measure> = {};
  for (const [name, measure] of Object.entries(targets))
    cold[name] = () => {
      rmSync(cache, { recursive: true, force: true });
      return measure();
    };
  return [
    ...(await figures('', cold)),
    // The first starts fill the compile cache.
    ...(await figures(', compile cache warm', targets, 3)),
  ];
}

async function figures(
  when: string,
  targets: Record<string, Measure>,
  warmUps = 1,
): Promise<Figure[]> {
  const samples = await measureInTurns(targets, { rounds, warmUps });
  const goal = { unit: 'times empty Node', ...(when === '' && { atMost: 3.5 }) };
  const times = (name: string, program: string): Figure =>
    samples.times(`${name}${when}`, program, 'empty Node server', goal);
  return [
    times('start to first response', 'Coffer'),
    times('coffer --version to first output', 'coffer --version'),
    times('coffer token list to first output', 'coffer token list'),
    ...samples.medians(`processor time of a start${when}, `, 'ms'),
  ];
}

async function untilResponse(
  args: readonly string[],
  path: string,
  token: string,
): Promise<number> {
  const program = [process.execPath, ...args];
  const { child, match } = await startProgram(program, /http:\/\/127\.0\.0\.1:(\d+)/);
  try {
    await request(Number(match[1]), path, token);
    return threadsMs(child.pid!);
  } finally {
    await endProgram(child, 'SIGTERM');
  }
}

async function untilOutput(args: readonly string[]): Promise<number> {
  const all = ['--require', firstOutput, ...args];
  const { stderr } = await promisify(execFile)(process.execPath, all);
  return Number(/^processor time (.+)$/m.exec(stderr)?.[1]);
}

/** The processor time of the threads of a process, in steps of nanoseconds. Source: Linux, sched-stats. */
function threadsMs(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const times = threads.map((each) => {
    return readFileSync(`/proc/${pid}/task/${each}/schedstat`, 'latin1').split(' ')[0];
  });
  return sum(times.map(Number)) / 1e6;
}

/** Sends a request over a socket, because loading a client would add to the time. */
function request(port: number, path: string, token: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    socket.write(`GET ${path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${token}\r\n\r\n`);
    socket.once('error', reject);
    socket.once('data', (chunk) => {
      socket.destroy();
      if (chunk.toString('latin1').startsWith('HTTP/1.1 200')) resolve();
      else reject(new Error(chunk.toString()));
    });
  });
}
