import { Webhook } from 'standardwebhooks';
import { changing } from '../../../changes/changing.ts';
import { testSender } from '../../../connectors/webhooks/testing/test-sender.ts';
import type { ReceivedMessage, Receiver } from '../../../connectors/webhooks/testing/receiver.ts';
import type { Engine } from '../../../db/engine.ts';
import { find, select } from '../../../db/rows.ts';
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
      readonly id: number;
      readonly kind: string;
      readonly value: { readonly name: string } | null;
    }[];
  };
}

export type HookedBook = Awaited<ReturnType<typeof makeHookedBook>>;

/** Creates a user with a book and a webhook for its changes from now on. */
export async function makeHookedBook(
  engine: Engine,
  url: string,
  options: Partial<NewWebhookRow> = {},
) {
  const { id: bookId } = await newBook(engine);
  const { secret, sealed } = (await testSender().newSecret(bookId))!;
  const hook = { url, description: null, records: null, kinds: null, actor: 'test', from: null };
  const { id } = await engine.write(() =>
    addWebhook(bookId, { ...hook, sealedSecret: sealed, ...options }),
  );
  const cause = { bookId, actor: 'test', operation: 'test' };
  /** Returns a verified event. Throws if it is forged. */
  const verified = ({ body, headers }: Pick<ReceivedMessage, 'body' | 'headers'>): SentEvent =>
    new Webhook(secret).verify(body, headers) as SentEvent;
  return {
    bookId,
    id,
    verified,
    /** Adds tags in one version, and returns their ids. */
    add: (...names: string[]) =>
      engine.write(() =>
        changing(cause, function* (change) {
          const ids: number[] = [];
          for (const name of names) ids.push((yield* change.insert(tags, { name })).id);
          return ids;
        }),
      ),
    /** Renames a tag, or removes it if there is no name. */
    rename: (tagId: number, name?: string) =>
      engine.write(() =>
        changing(cause, function* (change) {
          const tag = yield* find(tags, { book_id: bookId, id: tagId });
          if (name === undefined) yield* change.remove(tags, tag!);
          else yield* change.update(tags, tag!, { name });
        }),
      ),
    row: async () => (await engine.read(() => find(webhooks, { book_id: bookId, id })))!,
    attempts: () => engine.read(() => select(webhookAttempts, { book_id: bookId, webhook_id: id })),
    /** Returns what was delivered: the names of tags, or the kinds of changes of records that are gone. */
    names: ({ received }: Pick<Receiver, 'received'>) =>
      received
        .filter(({ status }) => status !== null && status < 300)
        .flatMap((message) => verified(message).data.changes)
        .map(({ value, kind }) => value?.name ?? kind),
  };
}
