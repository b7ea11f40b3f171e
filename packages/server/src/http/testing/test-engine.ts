import type { Dialect } from '../../db/dialect.ts';
import { statementOf } from '../../db/testing/recording-engine.ts';
import type { Emit, Engine, Step, Steps, WriteOptions } from '../../db/engine.ts';
import { migrate } from '../../db/sqlite/migrate.ts';
import { openSqlite } from '../../db/sqlite/sqlite.ts';

/** Does something instead of a call of the engine, or before or after it. */
type Instead = (run: () => Promise<unknown>) => unknown;

/** A database, by default in memory, whose calls a test can count, delay and replace. */
export class TestEngine implements Engine {
  /**
   * The names of the calls so far: the method of the engine, and the first table that the steps use, such as
   * `read books`. For steps without a statement the table is `nothing`.
   */
  readonly calls: string[] = [];
  /** Replacements of calls by name; a fault is a function that throws. */
  readonly instead = new Map<string, Instead>();
  canWrite = true;
  readonly #engine: Engine;
  readonly #now: () => number;

  constructor(now: () => number, opened: Engine = openInMemory(now)) {
    this.#now = now;
    this.#engine = opened;
  }

  get dialect(): Dialect {
    return this.#engine.dialect;
  }

  /** Makes all calls of a name fail with `fault`, which need not be an error. */
  fail(name: string, fault: unknown): void {
    const error = fault as Error;
    this.instead.set(name, () => Promise.reject(error));
  }

  /** Makes all calls of a name fail with `fault` while `work` runs. */
  async failing<T>(name: string, fault: unknown, work: () => Promise<T>): Promise<T> {
    this.fail(name, fault);
    try {
      return await work();
    } finally {
      this.instead.delete(name);
    }
  }

  read<T>(steps: () => Steps<T>, options?: { readonly onSnapshot?: boolean }): Promise<T> {
    return this.#call('read', steps, () => this.#engine.read(steps, options));
  }

  readStatement<T>(steps: () => Steps<T>): Promise<T> {
    return this.#call('readStatement', steps, () => this.#engine.readStatement(steps));
  }

  write<T>(steps: () => Steps<T>, options?: WriteOptions): Promise<T> {
    return this.#call('write', steps, () => this.#engine.write(steps, options));
  }

  stream<T>(steps: () => Generator<Step | Emit<T>, void, unknown>): AsyncIterable<T> {
    return this.#engine.stream(steps);
  }

  eraseDeleted(): Promise<boolean> {
    return this.#engine.eraseDeleted();
  }

  close(): Promise<void> {
    return this.#engine.close();
  }

  async #call<T>(kind: string, steps: () => Steps<T>, run: () => Promise<T>): Promise<T> {
    const name = `${kind} ${this.#firstTable(steps)}`;
    this.calls.push(name);
    const instead = this.instead.get(name);
    return instead === undefined ? run() : ((await instead(run)) as T);
  }

  /** Runs the steps up to their first statement, without executing it. An engine may run steps more than once. */
  #firstTable<T>(steps: () => Steps<T>): string {
    const trial = steps();
    let next = trial.next();
    while (next.done !== true && 'get' in next.value)
      next = trial.next({ dialect: this.dialect, nowMs: this.#now(), memory: new Map() });
    if (next.done === true) return 'nothing';
    const step = next.value as Exclude<Step, { get: 'context' }>;
    if ('insertInto' in step) return step.insertInto;
    return tableOf(statementOf(step).sql);
  }
}

function openInMemory(now: () => number): Engine {
  const engine = openSqlite({ path: ':memory:', busyTimeoutMs: 0, now });
  migrate(engine);
  return engine;
}

/** Returns the table of a statement, ignoring its subqueries. */
function tableOf(statement: string): string {
  const outer = statement.replaceAll(/\([^()]*\)/g, '');
  if (outer !== statement) return tableOf(outer);
  return /\b(?:FROM|INTO|UPDATE)\s+(\w+)/.exec(statement)?.[1] ?? statement;
}
