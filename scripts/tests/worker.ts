/*
 * Runs test files one after the other, each in a test of its own, so that its hooks are its own. It loads the product
 * and starts a database server once for all of them. scripts/tests/pool.ts starts it, and hands it the files.
 */
import './scopes.ts';
import { once } from 'node:events';
import { pathToFileURL } from 'node:url';
import { processorS } from './processes.ts';
import { send, type ToWorker } from './messages.ts';
import { reported } from './reporter.ts';

// Imports are loaded before the code of any of them runs, which must be first here.
const { mock, test } = await import('node:test');

const folder = process.cwd();
const environment = { ...process.env };

/** Closes what tests of a file, or of the whole process, have left for the end. */
async function close(ends: (() => unknown)[]): Promise<void> {
  for (let end = ends.pop(); end !== undefined; end = ends.pop()) await end();
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Puts back what a file may have changed for others in this process. */
function restore(): void {
  // Programs of others end their process when a test of ours emits a signal.
  for (const signal of signals) process.removeAllListeners(signal);
  mock.reset();
  mock.timers.reset();
  process.chdir(folder);
  for (const name of Object.keys(process.env))
    if (!(name in environment)) Reflect.deleteProperty(process.env, name);
  Object.assign(process.env, environment);
}

async function nextFile(): Promise<string | null> {
  const answer = once(process, 'message') as Promise<[ToWorker]>;
  send({ kind: 'next' });
  return (await answer)[0].file;
}

const ends: NonNullable<typeof globalThis.cofferTestEnds> = { ofFile: [], ofProcess: [] };
globalThis.cofferTestEnds = ends;

for (let file = await nextFile(); file !== null; file = await nextFile()) {
  const url = pathToFileURL(file).href;
  const [spentS, startedAtMs] = [processorS(), performance.now()];
  const sent = once(reported, 'file');
  await test(file, async () => {
    await import(url);
  });
  await sent;
  await close(ends.ofFile);
  restore();
  const wallS = (performance.now() - startedAtMs) / 1000;
  send({ kind: 'finished', processorS: processorS() - spentS, wallS });
}
await close(ends.ofProcess);
send({ kind: 'done', open: process.getActiveResourcesInfo() });
process.disconnect();
