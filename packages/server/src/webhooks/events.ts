import { positionAfter, PrunedPositionError, readChanges } from '../book/feed.ts';
import type { FeedChange, FeedPage, FeedPosition } from '../book/feed.ts';
import type { Steps } from '../db/engine.ts';
import { changeText } from '../history/feed/follow.ts';
import { positionText } from '../history/feed/position.ts';
import { presentValues } from '../history/records.ts';
import { maxEventChanges, messageId, selects } from './rules.ts';
import { cursorOf, filterOf } from './stored.ts';
import type { WebhookRow } from './stored.ts';

/** Changes of one version, to be sent in one message. */
export interface WebhookEvent {
  readonly is: 'event';
  /** The first change that it may have. */
  readonly from: FeedPosition;
  /** The first change after it. */
  readonly to: FeedPosition;
  readonly changes: readonly FeedChange[];
}

/** What is next for a webhook: an event, or nothing up to a position, or changes that the log no longer has. */
export type NextEvent =
  WebhookEvent | { readonly is: 'nothing'; readonly to: FeedPosition } | { readonly is: 'pruned' };

/** Changes that are read at once while none is selected. */
const scannedChanges = 1000;
/** How often they are read on one snapshot. */
const mostScans = 20;

/** Returns the next event of a webhook from a position on; by default that of its cursor. */
export function* nextEvent(webhook: WebhookRow, at = cursorOf(webhook)): Steps<NextEvent> {
  const filter = filterOf(webhook);
  const isFiltered = filter.records !== null || filter.kinds !== null;
  // One more shows whether the version ends with the event.
  const limit = isFiltered ? scannedChanges : maxEventChanges + 1;
  const record = filter.records?.length === 1 ? filter.records[0] : undefined;
  let from = at;
  for (let scan = 0; scan < mostScans; scan += 1) {
    let page: FeedPage;
    try {
      page = yield* readChanges(webhook.book_id, from, limit, record);
    } catch (error) {
      if (error instanceof PrunedPositionError) return { is: 'pruned' };
      throw error;
    }
    const selected = page.changes.filter((change) => selects(filter, change));
    const inVersion = selected.filter(({ version }) => version === selected[0]!.version);
    const changes = inVersion.slice(0, maxEventChanges);
    const last = changes.at(-1);
    if (last !== undefined) {
      const isWhole = page.isEnd || page.changes.at(-1)!.version > last.version;
      const hasAll = isWhole && changes.length === inVersion.length;
      return {
        is: 'event',
        from: at,
        to: hasAll ? positionAfter(last.version) : last.next,
        changes,
      };
    }
    from = page.position;
    if (page.isEnd) break;
  }
  return { is: 'nothing', to: from };
}

/** Returns the id and the body of the message of an event. Values are those at this moment: run it on one snapshot. */
export function* messageOf(
  { id, book_id, database_id, records, kinds }: WebhookRow,
  { to, changes }: Pick<WebhookEvent, 'to' | 'changes'>,
): Steps<{ readonly id: string; readonly body: string }> {
  // The same for each attempt, whatever was committed meanwhile.
  const [first, last] = [changes[0]!.next, changes.at(-1)!.next];
  const values = yield* presentValues(book_id, changes);
  const list = changes.map((change, at) => changeText(change, values[at] ?? null)).join(',');
  const head = {
    book_id,
    position: positionText({ databaseId: database_id, book: { id: book_id } }, to),
  };
  const type = JSON.stringify('book.changed');
  const data = `${JSON.stringify(head).slice(0, -1)},"changes":[${list}]}`;
  const timestamp = JSON.stringify(changes[0]!.at);
  return {
    id: messageId(database_id, book_id, id, first, last, records, kinds),
    body: `{"type":${type},"timestamp":${timestamp},"data":${data}}`,
  };
}
