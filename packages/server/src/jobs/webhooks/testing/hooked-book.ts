import { Webhook } from 'standardwebhooks';
import { changing } from '../../../changes/changing.ts';
import { testSender } from '../../../connectors/webhooks/testing/test-sender.ts';
import type { ReceivedMessage, Receiver } from '../../../connectors/webhooks/testing/receiver.ts';
import type { Engine } from '../../../db/engine.ts';
import { find, select } from '../../../db/rows.ts';
import type { Row } from '../../../db/table.ts';
import { tags, webhookAttempts, webhooks } from '../../../db/tables.ts';
import { addWebhook } from '../../../resources/webhooks/actions.ts';
import type { NewWebhookRow } from '../../../resources/webhooks/actions.ts';
import { newBook } from '../../../resources/users/testing/new-book.ts';

/** The body of an event. */
interface SentEvent {
  readonly type: string;
  readonly timestamp: string;
  readonly data: {
    readonly book_id: number;
    readonly position: string;
    readonly changes: readonly {
      readonly version: number;
      readonly at: string;
      readonly record: string;
      readonly id: number;
      readonly kind: string;
      readonly value: { readonly id: number; readonly name: string } | null;
    }[];
  };
}

/** A book with a webhook. */
export class HookedBook {
  readonly #engine: Engine;
  readonly bookId: number;
  readonly id: number;
  readonly #secret: string;

  constructor(engine: Engine, bookId: number, id: number, secret: string) {
    this.#engine = engine;
    this.bookId = bookId;
    this.id = id;
    this.#secret = secret;
  }

  /** Adds tags in one version, and returns their ids. */
  async add(...names: string[]): Promise<number[]> {
    return this.#engine.write(() =>
      changing(this.#cause, function* (change) {
        const ids: number[] = [];
        for (const name of names) ids.push((yield* change.insert(tags, { name })).id);
        return ids;
      }),
    );
  }

  /** Renames a tag, or removes it if there is no name. */
  async rename(id: number, name?: string): Promise<void> {
    const { bookId } = this;
    await this.#engine.write(() =>
      changing(this.#cause, function* (change) {
        const tag = yield* find(tags, { book_id: bookId, id });
        if (name === undefined) yield* change.remove(tags, tag!);
        else yield* change.update(tags, tag!, { name });
      }),
    );
  }

  get #cause() {
    return { bookId: this.bookId, actor: 'test', operation: 'test' };
  }

  async row(): Promise<Row<typeof webhooks>> {
    const { bookId: book_id, id } = this;
    return (await this.#engine.read(() => find(webhooks, { book_id, id })))!;
  }

  async attempts(): Promise<Row<typeof webhookAttempts>[]> {
    const { bookId: book_id, id: webhook_id } = this;
    return this.#engine.read(() => select(webhookAttempts, { book_id, webhook_id }));
  }

  /** Returns a verified event. Throws if it is forged. */
  verified({ body, headers }: Pick<ReceivedMessage, 'body' | 'headers'>): SentEvent {
    return new Webhook(this.#secret).verify(body, headers) as SentEvent;
  }

  /** Returns what was delivered: the names of tags, or the kinds of changes of records that are gone. */
  names({ received }: Pick<Receiver, 'received'>): string[] {
    return received
      .filter(({ status }) => status !== null && status < 300)
      .flatMap((message) => this.verified(message).data.changes)
      .map(({ value, kind }) => value?.name ?? kind);
  }
}

/** Creates a user with a book and a webhook for its changes from now on. */
export async function makeHookedBook(
  engine: Engine,
  url: string,
  options: Partial<NewWebhookRow> = {},
): Promise<HookedBook> {
  const { id: bookId } = await newBook(engine);
  const { secret, sealed } = (await testSender().newSecret(bookId))!;
  const { id } = await engine.write(() =>
    addWebhook(bookId, {
      ...{ url, description: null, records: null, kinds: null, actor: 'test', from: null },
      ...{ sealedSecret: sealed, ...options },
    }),
  );
  return new HookedBook(engine, bookId, id, secret);
}
