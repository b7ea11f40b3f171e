import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** A process that takes the write lock of a database when it is told to. */
export interface OtherWriter {
  /** Resolves when the lock is held. */
  hold(): Promise<void>;
  /** Resolves when the lock is free. */
  free(): Promise<void>;
  end(): Promise<void>;
}

/** Starts a process of its own that can hold the write lock of `database`. */
export function startOtherWriter(database: string): OtherWriter {
  const program = fileURLToPath(new URL('./lock-holder.ts', import.meta.url));
  const child = spawn(process.execPath, [program, database], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const tell = async (order: string, answer: string): Promise<void> => {
    child.stdin.write(`${order}\n`);
    const { value } = await answers.next();
    if (value !== answer) throw new Error(`The lock holder says ${String(value)} to ${order}`);
  };
  return {
    hold: () => tell('hold', 'held'),
    free: () => tell('free', 'free'),
    end: async () => {
      child.stdin.end();
      await ended;
    },
  };
}
