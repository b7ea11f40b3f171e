import type { Engine, Steps } from '../../db/engine.ts';
import {
  categories,
  cryptoAccounts,
  manualAccounts,
  plaidAccounts,
} from '../../db/tables/tables.ts';
import { EngineBook } from '../../http/testing/engine-book.ts';
import { BulkRows, type NewTransaction } from '../../ledger/transactions/writes.ts';
import { newBook } from '../../identity/users/testing/new-book.ts';
import { Problem } from '../../operations/problem.ts';
import { changing, type Change } from '../change.ts';
import { undoChange } from '../../history/undo/actions.ts';
import { undo, UndoConflictError } from '../undo.ts';
import type { UndoConflict } from '../undo-conflicts.ts';

/** A book whose versions are made and undone one after another. */
export class UndoneBook extends EngineBook {
  readonly #cause = { bookId: this.id, actor: 'token 1', operation: 'test' };

  static override async open(engine: Engine): Promise<UndoneBook> {
    const book = new UndoneBook(engine, await newBook(engine));
    await book.change(addAccounts);
    return book;
  }

  /** Makes a change, and returns its version. */
  async make(work: (change: Change) => Steps<unknown>): Promise<number> {
    await this.change(work);
    return this.version();
  }

  async undo(version: number): Promise<number> {
    const cause = { ...this.#cause, undoes: version };
    await this.write(() => changing(cause, (change) => undo(change, version)));
    return this.version();
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

  /** Undoes what can be undone of a version, and returns the conflicts of the rest, which may be all. */
  async undoRest(version: number): Promise<string[]> {
    const undone = undoChange(this.engine, this.#cause, version, { mode: 'skip' });
    const conflicts = await undone.then((each) => each.conflicts, conflictsIn);
    return conflicts.map(conflictText);
  }
}

function conflictsIn(error: unknown): Conflict[] {
  if (!(error instanceof Problem) || error.kind !== 'undoConflict') throw error;
  return error.details as unknown as Conflict[];
}

type Conflict = Omit<UndoConflict, 'blocked'>;

function conflictText({ record, id, key = {}, column, reason }: Conflict): string {
  return `${[record, id, ...Object.values(key), column].join(' ')}: ${reason}`;
}

/** Adds accounts and a category that transactions refer to. */
function* addAccounts(change: Change): Steps<void> {
  yield* change.insert(categories, { name: 'First' });
  const made = { currency: 'usd', balance: 0 };
  yield* change.insert(manualAccounts, {
    ...made,
    name: 'Cash',
    type: 'cash',
    balance_as_of: change.at,
    created_by_name: 'A',
  });
  yield* change.insert(plaidAccounts, {
    ...made,
    name: 'Card',
    type: 'credit',
    subtype: 'card',
    mask: '1234',
    institution_name: 'Bank',
    linked_by_name: 'A',
    date_linked: '2024-01-01',
  });
  for (const provider of ['kraken', 'ethereum'] as const)
    yield* change.insert(cryptoAccounts, {
      provider,
      status: 'active',
      created_by_name: 'A',
      sealed_credentials: Buffer.from('sealed'),
    });
}

export function* addTransaction(change: Change, values: Partial<NewTransaction>): Steps<void> {
  const bulk = new BulkRows(change);
  const amount = { amount: 1, currency: 'usd', to_base: 1 };
  const id = yield* bulk.nextId();
  bulk.add({ id, date: '2024-01-01', ...amount, payee: 'P', status: 'reviewed', ...values });
  yield* bulk.flush();
}
