import type { Dialect } from '../../db/dialect.ts';
import type { Emit, Engine, Step, Steps, WriteOptions } from '../../db/engine.ts';
import { migrate } from '../../db/sqlite/migrate.ts';
import { openSqlite, type SqliteEngine } from '../../db/sqlite/sqlite.ts';

/** Does something in place of a call of the engine, or before or after it. */
type Instead = (run: () => Promise<unknown>) => unknown;

/** A database in memory whose calls a test can count, delay and replace. */
export class TestEngine implements Engine {
  /**
   * The calls so far, by their names: how the engine was called, and the first table that the steps use, such as
   * `read books`. Work without a statement uses `nothing`.
   */
  readonly calls: string[] = [];
  /** What happens in place of the calls of a name; a fault is a function that throws. */
  readonly instead = new Map<string, Instead>();
  /** What the engine says of writes. */
  canWrite = true;
  readonly #engine: SqliteEngine;
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
    this.#engine = openSqlite({ path: ':memory:', busyTimeoutMs: 0, now });
    migrate(this.#engine);
  }

  get dialect(): Dialect {
    return this.#engine.dialect;
  }

  /** Has all calls of a name fail with `fault`, which need not be an error. */
  fail(name: string, fault: unknown): void {
    const error = fault as Error;
    this.instead.set(name, () => Promise.reject(error));
  }

  /** Does so while `work` goes on. */
  async failing<T>(name: string, fault: unknown, work: () => Promise<T>): Promise<T> {
    this.fail(name, fault);
    try {
      return await work();
    } finally {
      this.instead.delete(name);
    }
  }

  read<T>(steps: () => Steps<T>): Promise<T> {
    return this.#call('read', steps, () => this.#engine.read(steps));
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

  close(): Promise<void> {
    return this.#engine.close();
  }

  async #call<T>(kind: string, steps: () => Steps<T>, run: () => Promise<T>): Promise<T> {
    const name = `${kind} ${this.#firstTable(steps)}`;
    this.calls.push(name);
    const instead = this.instead.get(name);
    return instead === undefined ? run() : ((await instead(run)) as T);
  }

  /** Runs the steps up to their first statement, which is not carried out: an engine may run steps again. */
  #firstTable<T>(steps: () => Steps<T>): string {
    const trial = steps();
    let next = trial.next();
    while (next.done !== true && 'get' in next.value)
      next = trial.next({ dialect: this.dialect, nowMs: this.#now() });
    if (next.done === true) return 'nothing';
    const step = next.value as Exclude<Step, { get: 'context' }>;
    if ('insertInto' in step) return step.insertInto;
    return tableOf('joinRows' in step ? step.joinRows.sql : step.sql);
  }
}

/** The table of a statement, those of its subqueries left out. */
function tableOf(statement: string): string {
  const outer = statement.replaceAll(/\([^()]*\)/g, '');
  if (outer !== statement) return tableOf(outer);
  return /\b(?:FROM|INTO|UPDATE)\s+(\w+)/.exec(statement)?.[1] ?? statement;
}
