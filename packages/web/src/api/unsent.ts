import {
  canBeSent,
  conflictOf,
  mergedEdit,
  type UnsentEdit,
  type UnsentEntry,
  type UnsentNew,
} from '../books/rows/unsent.ts';
import type { Transaction } from '../books/types.ts';
import { ApiError, describeError, isOffline, isProved } from './errors.ts';
import { storeOfBrowser, type UnsentStore } from './unsent-store.ts';

/** How entries are sent. Each rejects as a request does. */
export interface UnsentSenders {
  /** Sends a new transaction, at most once by its id. */
  readonly insert: (entry: UnsentNew) => Promise<Transaction>;
  /** Sends edits, in one request where possible. Resolves with what became of each. */
  readonly update: (
    entries: readonly UnsentEdit[],
  ) => Promise<readonly PromiseSettledResult<Transaction>[]>;
  /** Returns the transaction of an edit as it is now. */
  readonly current: (entry: UnsentEdit) => Promise<Transaction>;
  /** Resolves when the server can be reached again. */
  readonly reachable: () => Promise<void>;
}

/** What is not known of an entry before it is kept. */
type Made<Entry> = Omit<Entry, 'owner' | 'order' | 'problem' | 'theirs'>;

/** What waits in this page for an edit that is sent later. */
interface Waiting {
  readonly entry: UnsentEdit;
  readonly outcomes: readonly PromiseWithResolvers<Transaction>[];
}

const conflictMessage = 'It was changed elsewhere';
/** Most edits that are looked at before they are sent together. */
const mostTogether = 500;

/**
 * What was typed and is not stored by the server: kept in the browser before it is sent, and removed when the server
 * has it. What could not be sent is sent in its order when the server can be reached, also by the next page.
 *
 * Entries belong to a user and a book; those of others stay as they are.
 */
export class Unsent {
  readonly #store: UnsentStore;
  #senders: UnsentSenders | null = null;
  #owner: string | null = null;
  #entries: ReadonlyMap<string, UnsentEntry> = new Map();
  readonly #listeners = new Set<() => void>();
  /** How many requests of this page are under way for an entry. */
  readonly #active = new Map<string, number>();
  /** By the ids of the edits. */
  readonly #waiting = new Map<string, Waiting>();
  #onArrival: (count: number) => void = () => undefined;
  #toPut = new Map<string, UnsentEntry>();
  #toRemove = new Set<string>();
  #writing: Promise<void> = Promise.resolve();
  #sending: Promise<void> | null = null;

  constructor(store: UnsentStore) {
    this.#store = store;
  }

  /** The entries that the page shows, the oldest first; the same array until one changes. */
  entries: readonly UnsentEntry[] = [];

  /** Calls the listener after each change. Returns what ends that. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /**
   * Begins to send the entries of an owner. `onArrival` is called with the number of entries that had waited and are
   * stored now, except those for which a part of this page waits.
   */
  async begin(
    owner: string,
    senders: UnsentSenders,
    onArrival: (count: number) => void,
  ): Promise<void> {
    this.#senders = senders;
    this.#onArrival = onArrival;
    this.#owner = owner;
    await this.#readAgain();
    await this.send();
  }

  /** Keeps and sends a new transaction. Returns null if it was kept because the server cannot be reached. */
  async insert(made: Made<UnsentNew>): Promise<Transaction | null> {
    const entry = { ...made, ...this.#common() };
    this.#change([entry], []);
    await this.#writing;
    const senders = this.#senders!;
    try {
      const stored = await this.#during(entry.id, () => senders.insert(entry));
      this.#change([], [entry.id]);
      return stored;
    } catch (error) {
      if (!isOffline(error)) this.#change([], [entry.id]);
      if (!isOffline(error)) throw error;
      void this.send();
      return null;
    }
  }

  /** Keeps an edit while it is sent. One that does not reach the server is sent later, and resolves then. */
  async edit(
    made: Omit<Made<UnsentEdit>, 'id'>,
    send: () => Promise<Transaction>,
  ): Promise<Transaction> {
    const { transactionId } = made;
    const id = `${this.#owner}/${transactionId}`;
    const fresh: UnsentEdit = { ...made, id, theirs: null, ...this.#common() };
    this.#change([mergedEdit(this.#entries.get(id) as UnsentEdit | undefined, fresh)], []);
    try {
      const stored = await this.#during(id, send);
      this.#settle(id, stored);
      return stored;
    } catch (error) {
      if (isOffline(error)) return this.#later(fresh);
      this.#settle(id, null);
      throw error;
    }
  }

  /** Sends what can be sent, one after the other. Resolves when nothing is left that can. */
  async send(): Promise<void> {
    this.#sending ??= this.#sendWhenReached().finally(() => {
      this.#sending = null;
    });
    await this.#sending;
    // What came while the last one ended.
    if (this.#senders !== null && this.#due().length > 0) await this.send();
  }

  #due(): readonly UnsentEntry[] {
    return this.entries.filter((each) => canBeSent(each) && !this.#active.has(each.id));
  }

  /** Sends an entry again that was refused, or over what somebody else has made of it. */
  async again(entry: UnsentEntry): Promise<void> {
    const cleared = { ...entry, problem: null };
    const next =
      cleared.kind === 'edit' && cleared.theirs !== null
        ? { ...cleared, before: { ...cleared.before, ...cleared.theirs }, theirs: null }
        : cleared;
    this.#change([next], []);
    await this.send();
  }

  /** Forgets entries. */
  async discard(entries: readonly UnsentEntry[]): Promise<void> {
    this.#change(
      [],
      entries.map(({ id }) => id),
    );
    await this.#writing;
  }

  async #sendWhenReached(): Promise<void> {
    const senders = this.#senders;
    if (senders === null) return;
    while (!(await alone(() => this.#sendAll(senders)))) await senders.reachable();
  }

  /** Resolves with false when the server cannot be reached. */
  async #sendAll(senders: UnsentSenders): Promise<boolean> {
    await this.#readAgain();
    try {
      await this.#takeOver(senders);
      while (await this.#sendSome(senders));
      return true;
    } catch (error) {
      if (isOffline(error)) return false;
      throw error;
    }
  }

  /** Resolves what waits for edits that another tab has sent. */
  async #takeOver(senders: UnsentSenders): Promise<void> {
    for (const [id, { entry }] of this.#waiting)
      if (!this.#entries.has(id)) {
        const stored = await senders.current(entry);
        for (const { resolve } of this.#take(id)) resolve(stored);
      }
  }

  async #sendSome(senders: UnsentSenders): Promise<boolean> {
    const due = this.#due();
    const [first] = due;
    if (first?.kind === 'new') await this.#sendNew(senders, first);
    else if (first !== undefined) await this.#sendEdits(senders, leadingEdits(due));
    return first !== undefined;
  }

  async #sendNew(senders: UnsentSenders, entry: UnsentNew): Promise<void> {
    try {
      await this.#during(entry.id, () => senders.insert(entry));
      this.#arrive([entry.id]);
    } catch (error) {
      if (isOffline(error)) throw error;
      this.#change([{ ...entry, problem: describeError(error) }], []);
    }
  }

  async #sendEdits(senders: UnsentSenders, edits: readonly UnsentEdit[]): Promise<void> {
    const free: UnsentEdit[] = [];
    for (const edit of edits) if (await this.#isFree(senders, edit)) free.push(edit);
    if (free.length === 0) return;
    const outcomes = await senders.update(free);
    const failed = outcomes.find((each) => each.status === 'rejected' && isOffline(each.reason));
    outcomes.forEach((outcome, at) => this.#conclude(free[at]!, outcome));
    if (failed?.status === 'rejected') throw failed.reason;
  }

  /** Whether nobody else has changed the same values. */
  async #isFree(senders: UnsentSenders, edit: UnsentEdit): Promise<boolean> {
    try {
      const theirs = conflictOf(edit, await senders.current(edit));
      if (theirs === null) return true;
      this.#change([{ ...edit, theirs }], []);
      this.#reject(edit.id, new ApiError(409, conflictMessage));
    } catch (error) {
      if (isOffline(error)) throw error;
      this.#refuse(edit, error);
    }
    return false;
  }

  #conclude(edit: UnsentEdit, outcome: PromiseSettledResult<Transaction>): void {
    if (outcome.status === 'rejected') {
      if (!isOffline(outcome.reason)) this.#refuse(edit, outcome.reason);
      return;
    }
    const waiting = this.#take(edit.id);
    for (const { resolve } of waiting) resolve(outcome.value);
    if (waiting.length === 0) this.#arrive([edit.id]);
    else this.#change([], [edit.id]);
  }

  /** Where a part of this page waits, it shows the refusal; otherwise the entry does. */
  #refuse(edit: UnsentEdit, error: unknown): void {
    const isShown = this.#reject(edit.id, error);
    if (isShown) this.#change([], [edit.id]);
    // Who has read that it is proved, and sends it again, means it.
    else this.#change([{ ...edit, problem: describeError(error), isForced: isProved(error) }], []);
  }

  #reject(id: string, error: unknown): boolean {
    const waiting = this.#take(id);
    for (const { reject } of waiting) reject(error);
    return waiting.length > 0;
  }

  #take(id: string): readonly PromiseWithResolvers<Transaction>[] {
    const waiting = this.#waiting.get(id)?.outcomes ?? [];
    this.#waiting.delete(id);
    return waiting;
  }

  #arrive(ids: readonly string[]): void {
    this.#change([], ids);
    this.#onArrival(ids.length);
  }

  #later(entry: UnsentEdit): Promise<Transaction> {
    const outcome = Promise.withResolvers<Transaction>();
    const { outcomes = [] } = this.#waiting.get(entry.id) ?? {};
    this.#waiting.set(entry.id, { entry, outcomes: [...outcomes, outcome] });
    void this.send();
    return outcome.promise;
  }

  /** Removes an edit that was sent, unless another one of the same transaction is under way. */
  #settle(id: string, stored: Transaction | null): void {
    const entry = this.#entries.get(id);
    if (entry?.kind !== 'edit') return;
    if (!this.#active.has(id)) this.#change([], [id]);
    else if (stored !== null) {
      const names = Object.keys(entry.before) as (keyof Transaction)[];
      const before = Object.fromEntries(names.map((name) => [name, stored[name]]));
      this.#change([{ ...entry, before }], []);
    }
  }

  async #during<T>(id: string, send: () => Promise<T>): Promise<T> {
    this.#active.set(id, (this.#active.get(id) ?? 0) + 1);
    try {
      return await send();
    } finally {
      const left = this.#active.get(id)! - 1;
      if (left === 0) this.#active.delete(id);
      else this.#active.set(id, left);
    }
  }

  #common() {
    const last = this.entries.at(-1)?.order ?? 0;
    return { owner: this.#owner ?? '', order: Math.max(Date.now(), last + 1), problem: null };
  }

  async #readAgain(): Promise<void> {
    for (;;) {
      await this.#writing;
      const writing = this.#writing;
      const stored = await this.#store.of(this.#owner ?? '');
      // What was changed while it was read is read too.
      if (writing !== this.#writing) continue;
      this.#show(new Map(stored.map((entry) => [entry.id, entry])));
      return;
    }
  }

  #change(put: readonly UnsentEntry[], removed: readonly string[]): void {
    const next = new Map(this.#entries);
    for (const entry of put) next.set(entry.id, entry);
    for (const id of removed) next.delete(id);
    this.#show(next);
    for (const entry of put) {
      this.#toPut.set(entry.id, entry);
      this.#toRemove.delete(entry.id);
    }
    for (const id of removed) {
      this.#toPut.delete(id);
      this.#toRemove.add(id);
    }
    this.#writing = this.#writing.then(() => this.#write());
  }

  /** Writes all changes since the last time at once. */
  async #write(): Promise<void> {
    const [put, removed] = [[...this.#toPut.values()], [...this.#toRemove]];
    this.#toPut = new Map();
    this.#toRemove = new Set();
    if (put.length + removed.length > 0) await this.#store.write(put, removed);
  }

  #show(next: ReadonlyMap<string, UnsentEntry>): void {
    this.#entries = next;
    this.entries = [...next.values()].sort((a, b) => a.order - b.order);
    for (const listener of this.#listeners) listener();
  }
}

function leadingEdits(due: readonly UnsentEntry[]): UnsentEdit[] {
  const end = due.findIndex(({ kind }) => kind === 'new');
  return due.slice(0, end === -1 ? mostTogether : Math.min(end, mostTogether)) as UnsentEdit[];
}

/** Does something while no other tab of this browser does it. Without a secure context there are no locks. */
function alone<T>(act: () => Promise<T>): Promise<T> {
  const locks = navigator.locks as LockManager | undefined;
  return locks === undefined ? act() : locks.request('coffer.unsent', act);
}

/** The entries of this page. */
export const unsent = new Unsent(storeOfBrowser());
