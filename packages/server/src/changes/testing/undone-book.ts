import type { Engine, Steps } from '../../db/engine.ts';
import { find } from '../../db/rows.ts';
import { books } from '../../db/tables.ts';
import { BulkRows, type NewTransaction } from '../../resources/transactions/actions.ts';
import { newBook } from '../../resources/users/testing/new-book.ts';
import type { Change } from '../change.ts';
import { changing } from '../changing.ts';
import { undo, UndoConflictError } from '../undo.ts';
import { undoVersion } from '../undo-version.ts';
import type { UndoConflict } from '../undo-conflicts.ts';
import { readState, type BookState } from './book-state.ts';
import { addAccounts, performWrites, type Write } from './random-changes.ts';

/** A book whose versions are created and undone one after another. */
export class UndoneBook {
  readonly id: number;
  readonly #engine: Engine;

  private constructor(engine: Engine, id: number) {
    this.#engine = engine;
    this.id = id;
  }

  static async open(engine: Engine): Promise<UndoneBook> {
    const book = new UndoneBook(engine, (await newBook(engine)).id);
    await book.change(addAccounts);
    return book;
  }

  async change(work: (change: Change) => Steps<unknown>, undoes?: number): Promise<number> {
    const cause = { bookId: this.id, actor: 'token 1', operation: 'test' };
    const whole = undoes === undefined ? cause : { ...cause, undoes };
    await this.#engine.write(() => changing(whole, work));
    return this.version();
  }

  perform(writes: readonly Write[]): Promise<number> {
    return this.change((change) => performWrites(change, writes));
  }

  undo(version: number): Promise<number> {
    return this.change((change) => undo(change, version), version);
  }

  /** Undoes a version and returns the conflicts, each as `tags 5 name: changed since`; none if it was undone. */
  async conflictsOf(version: number): Promise<string[]> {
    try {
      await this.undo(version);
      return [];
    } catch (error) {
      if (!(error instanceof UndoConflictError)) throw error;
      return error.conflicts.map(conflictText);
    }
  }

  async undoRest(version: number): Promise<string[]> {
    const cause = { bookId: this.id, actor: 'token 1', operation: 'test' };
    const { conflicts } = await undoVersion(this.#engine, cause, version, { mode: 'skip' });
    return conflicts.map(conflictText);
  }

  async version(): Promise<number> {
    return (await this.#engine.read(() => find(books, { id: this.id })))!.version;
  }

  state(): Promise<BookState> {
    return readState(this.#engine, this.id);
  }

  read<T>(steps: () => Steps<T>): Promise<T> {
    return this.#engine.read(steps);
  }
}

function conflictText({ record, id, key = {}, column, reason }: UndoConflict): string {
  return `${[record, id, ...Object.values(key), column].join(' ')}: ${reason}`;
}

export function* addTransaction(change: Change, values: Partial<NewTransaction>): Steps<void> {
  const bulk = new BulkRows(change);
  const amount = { amount: 1, currency: 'usd', to_base: 1 };
  const id = yield* bulk.nextId();
  bulk.add({ id, date: '2024-01-01', ...amount, payee: 'P', status: 'reviewed', ...values });
  yield* bulk.flush();
}
