import { parentPort } from 'node:worker_threads';
import { serveTasks, type Performed, type RunningTask } from '../thread.ts';

/** What a thread of a test does: `after` is the address of a gate in shared memory, which opens when it becomes 1. */
export type TestTask =
  | { readonly is: 'value'; readonly value: unknown }
  | { readonly is: 'wait'; readonly gate: Int32Array }
  | { readonly is: 'busy' }
  | { readonly is: 'cancelled' }
  | { readonly is: 'die'; readonly gate: Int32Array }
  | { readonly is: 'throw'; readonly message: string }
  | { readonly is: 'stream'; readonly pieces: number; readonly bytes: number };

const nothing = Buffer.alloc(0);

async function* streamOf(pieces: number, bytes: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < pieces; at += 1) {
    await Promise.resolve();
    yield Buffer.alloc(bytes, at);
  }
}

async function perform(task: TestTask, running: RunningTask): Promise<Performed> {
  running.onProgress(task.is);
  switch (task.is) {
    case 'value':
      return {
        value: task.value,
        pieces: [nothing, Buffer.from('shared'), Buffer.from(' memory')],
      };
    case 'wait':
      Atomics.wait(task.gate, 0, 0);
      return { value: 'waited' };
    case 'cancelled':
      while (!running.isCancelled()) await new Promise((resolve) => setImmediate(resolve));
      throw new Error('cancelled');
    case 'busy':
      for (;;);
    case 'die':
      Atomics.wait(task.gate, 0, 0);
      return process.exit(3);
    case 'throw':
      throw new RangeError(task.message);
    case 'stream':
      return { value: 'stream', stream: streamOf(task.pieces, task.bytes) };
  }
}

if (parentPort !== null)
  serveTasks(parentPort, {
    perform: (task, running) => perform(task as TestTask, running),
    plainError: (error) => (error as Error).message,
    close: () => Promise.resolve(),
  });
