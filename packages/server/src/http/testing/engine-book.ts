import { before, describe } from 'node:test';
import { changing, type Change } from '../../book/change.ts';
import { readState, type BookState } from '../../book/testing/book-state.ts';
import { changesSince } from '../../book/testing/changes-since.ts';
import { undo } from '../../book/undo.ts';
import type { Engine, Steps } from '../../db/engine.ts';
import { find, select } from '../../db/rows.ts';
import type { BookTable, Row } from '../../db/table.ts';
import { books } from '../../db/tables/tables.ts';
import { usualEngines } from '../../db/testing/engines.ts';
import type { Book } from '../../operations/caller.ts';
import { newBook } from '../../identity/users/testing/new-book.ts';

/** A book that tests change and read on its engine, without requests. */
export class EngineBook {
  readonly engine: Engine;
  readonly book: Book;

  constructor(engine: Engine, book: Book) {
    this.engine = engine;
    this.book = book;
  }

  /** Creates an empty book in dollars, of a user of its own. */
  static async open(engine: Engine): Promise<EngineBook> {
    return new EngineBook(engine, await newBook(engine));
  }

  get id(): number {
    return this.book.id;
  }

  read<T>(steps: () => Steps<T>): Promise<T> {
    return this.engine.read(steps);
  }

  write<T>(steps: () => Steps<T>): Promise<T> {
    return this.engine.write(steps);
  }

  change<T>(work: (change: Change) => Steps<T>, operation = 'test'): Promise<T> {
    const cause = { bookId: this.id, actor: 'test', operation };
    return this.engine.write(() => changing(cause, work));
  }

  async undoLast(): Promise<void> {
    await this.change((change) => undo(change, change.version - 1), 'undo');
  }

  rows<T extends BookTable>(table: T): Promise<Row<T>[]> {
    return this.read(() => select(table as BookTable, { book_id: this.id })) as Promise<Row<T>[]>;
  }

  /** Every row of the book without what every change changes. */
  state(): Promise<BookState> {
    return readState(this.engine, this.id);
  }

  async version(): Promise<number> {
    return (await this.read(() => find(books, { id: this.id })))!.version;
  }

  async operations(after: number): Promise<string[]> {
    const lines = await this.read(() => changesSince(this.id, after));
    return lines.map(({ operation }) => operation);
  }
}

type Suite = (open: () => Promise<EngineBook>, engine: string) => void;

/** Registers a suite on each usual engine, whose tests open books in one database. */
export function onEngines(title: string, suite: Suite): void {
  onEnginesAt(title, undefined, suite);
}

export function onEnginesAt(title: string, now: (() => number) | undefined, suite: Suite): void {
  for (const { name, skip, open } of usualEngines)
    describe(`${title} on ${name}`, { skip }, () => {
      let engine: Engine;
      before(async () => {
        engine = await open(now);
      });
      suite(() => EngineBook.open(engine), name);
    });
}
