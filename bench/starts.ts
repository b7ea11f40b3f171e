import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { endProgram, startProgram } from '../packages/core/src/testing/starts.ts';
import type { Figure } from './report/figure.ts';
import { measureInTurns } from './measure/turns.ts';
import type { Workspace } from './measure/workspace.ts';

const emptyServer = `
  const server = require('node:http').createServer((request, response) => response.end('{}'));
  server.listen(0, '127.0.0.1', () => console.log('http://127.0.0.1:' + server.address().port));`;

export async function measureStarts(workspace: Workspace): Promise<Figure[]> {
  const command = fileURLToPath(new URL('../packages/cli/coffer.cjs', import.meta.url));
  const coffer = [command, 'serve', '--port', '0', '--database', workspace.databaseUrl];
  const path = '/v2/transactions?limit=1';
  // The first start fills the compile cache.
  const samples = await measureInTurns(
    {
      'empty Node server': () => firstAnswer(['-e', emptyServer], '/', workspace.token),
      Coffer: () => firstAnswer(coffer, path, workspace.token),
    },
    { rounds: 15 },
  );
  const goal = { unit: 'times empty Node', atMost: 3.5 };
  return [
    samples.times('start to first response', 'Coffer', 'empty Node server', goal),
    ...samples.medians('start to first response, ', 'ms'),
  ];
}

async function firstAnswer(args: readonly string[], path: string, token: string): Promise<number> {
  const startedMs = performance.now();
  const command = [process.execPath, ...args];
  const { child, match } = await startProgram(command, /http:\/\/127\.0\.0\.1:(\d+)/);
  try {
    await request(Number(match[1]), path, token);
    return performance.now() - startedMs;
  } finally {
    await endProgram(child, 'SIGTERM');
  }
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
