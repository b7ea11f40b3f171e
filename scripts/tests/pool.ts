import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { FromWorker, ToWorker } from './messages.ts';
import { describeProcess, descendants, killTree, treeProcessorS } from './processes.ts';

/** What became of a file. */
export interface FileResult {
  readonly file: string;
  readonly passed: number;
  readonly skips: readonly Skip[];
  /** A text for each failed test: its name, and what it threw. */
  readonly failures: readonly string[];
  readonly processorS: number;
  readonly wallS: number;
}

export interface Skip {
  readonly name: string;
  readonly reason: string;
}

export interface PoolOptions {
  readonly root: string;
  /** Files that share processes, in the order in which they begin. */
  readonly shared: readonly string[];
  /** Files that each need a process of their own. */
  readonly alone: readonly string[];
  readonly workers: number;
  /**
   * A worker that begins no test for this time is ended with all processes that it started. On a busy machine it gets
   * more, while it computes, up to half as many processor seconds as this limit has.
   */
  readonly hangMs: number;
  readonly onFile: (result: FileResult) => void;
}

/** How long a worker may take to end when its files are finished. */
const endMs = 60_000;

/** Runs the files in a few processes, and calls `onFile` for each of them. */
export async function runPool(options: PoolOptions): Promise<void> {
  const alone = [...options.alone];
  const shared = [...options.shared];
  const work = async (): Promise<void> => {
    for (let file = alone.shift(); file !== undefined; file = alone.shift())
      await new Worker([file], options).run();
    // A worker that cannot even begin would fail again.
    let hasBegun = true;
    while (hasBegun && shared.length > 0) hasBegun = await new Worker(shared, options).run();
  };
  await Promise.all(Array.from({ length: options.workers }, work));
}

/** A process that runs files from a queue until it is empty, or until it hangs or dies. */
class Worker {
  readonly #queue: string[];
  readonly #options: PoolOptions;
  readonly #child: ChildProcess;
  #file: string | null = null;
  #test = '';
  #output = '';
  #passed = 0;
  #skips: Skip[] = [];
  #failures: string[] = [];
  #startedAtMs = 0;
  #open: readonly string[] | null = null;
  #timer: NodeJS.Timeout | undefined;
  #isKilled = false;
  #hasBegun = false;

  constructor(queue: string[], options: PoolOptions) {
    this.#queue = queue;
    this.#options = options;
    const reporter = join(import.meta.dirname, 'reporter.ts');
    this.#child = fork(join(import.meta.dirname, 'worker.ts'), {
      cwd: options.root,
      execArgv: [`--test-reporter=${reporter}`, '--test-reporter-destination=stdout'],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      serialization: 'advanced',
    });
  }

  /** Resolves when the process and all that it started have ended: to whether it asked for a file. */
  async run(): Promise<boolean> {
    const child = this.#child;
    const endWorker = (): void => killTree(child.pid);
    process.once('exit', endWorker);
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => (this.#output += text));
    child.on('message', (message: FromWorker) => this.#hear(message));
    this.#watch(this.#options.hangMs);
    const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
    clearTimeout(this.#timer);
    process.off('exit', endWorker);
    if (!this.#isKilled && this.#open === null)
      this.#failures.push(
        `The process ended with ${signal ?? code} in "${this.#test}"\n${this.#output}`,
      );
    if (this.#failures.length > 0) this.#finish({ processorS: 0, wallS: this.#elapsedS() });
    return this.#hasBegun;
  }

  #hear(message: FromWorker): void {
    this.#watch(message.kind === 'done' ? endMs : this.#options.hangMs);
    if (message.kind === 'next') this.#sendNext();
    else if (message.kind === 'begins') this.#test = message.name;
    else if (message.kind === 'passed') this.#pass(message);
    else if (message.kind === 'failed')
      this.#failures.push(`${message.name}\n${message.error}\n${this.#output}`);
    else if (message.kind === 'finished') this.#finish(message);
    else this.#done(message.open);
  }

  #sendNext(): void {
    this.#hasBegun = true;
    this.#file = this.#queue.shift() ?? null;
    [this.#output, this.#test, this.#startedAtMs] = ['', '', performance.now()];
    const next: ToWorker = { file: this.#file };
    this.#child.send(next);
  }

  #pass({ name, skip }: Extract<FromWorker, { kind: 'passed' }>): void {
    if (skip === null) this.#passed += 1;
    else this.#skips.push({ name, reason: skip });
  }

  #finish({ processorS, wallS }: Pick<FileResult, 'processorS' | 'wallS'>): void {
    const file = this.#file ?? 'after the last file';
    const [passed, skips, failures] = [this.#passed, this.#skips, this.#failures];
    [this.#file, this.#passed, this.#skips, this.#failures] = [null, 0, [], []];
    this.#options.onFile({ file, passed, skips, failures, processorS, wallS });
  }

  /** The files are finished: processes that they have left running are ended and reported. */
  #done(open: readonly string[]): void {
    this.#open = open;
    for (const pid of descendants(this.#child.pid)) {
      this.#failures.push(`A file has left a process running: ${describeProcess(pid)}`);
      killTree(pid);
    }
  }

  #watch(limitMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => this.#watchCosts(limitMs, treeProcessorS(this.#child.pid)),
      limitMs / 2,
    );
  }

  /** Looks again after half the limit: on a busy machine a worker may wait for a processor all the time. */
  #watchCosts(limitMs: number, firstS: number, lastS = firstS): void {
    this.#timer = setTimeout(() => {
      const nowS = treeProcessorS(this.#child.pid);
      const isComputing = nowS - lastS > limitMs / 200_000 && nowS - firstS < limitMs / 2000;
      if (isComputing && this.#open === null) this.#watchCosts(limitMs, firstS, nowS);
      else this.#endHanging(limitMs);
    }, limitMs / 2);
  }

  #endHanging(limitMs: number): void {
    const where = this.#open === null ? `in "${this.#test}"` : `open: ${this.#open.join(', ')}`;
    this.#failures.push(`Ended, because nothing happened for ${limitMs / 1000} s, ${where}`);
    this.#isKilled = true;
    killTree(this.#child.pid);
  }

  #elapsedS(): number {
    return this.#startedAtMs === 0 ? 0 : (performance.now() - this.#startedAtMs) / 1000;
  }
}
