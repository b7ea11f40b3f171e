import { webhooks } from './following/webhooks.ts';
import type { MigrationWords } from './words.ts';

/**
 * The sixth schema: what history, undo and the change feed look up, and webhooks.
 *
 * The log has all changes of a book after `pruned_version`. Most of its lines are about one record; those about a range
 * of ids have an index of their own, because the ids of a line say nothing about where a range that contains them
 * begins.
 */
export function following(words: MigrationWords): string {
  return `
ALTER TABLE books ADD COLUMN pruned_version ${words.integer} NOT NULL DEFAULT 0;
CREATE INDEX changed_record_ranges ON changed_records (book_id, record, first_id) WHERE last_id > first_id;
CREATE INDEX changes_by_actor ON changes (book_id, actor, version);
CREATE INDEX changes_by_time ON changes (book_id, at);
CREATE INDEX changes_by_undone_version ON changes (book_id, undoes) WHERE undoes IS NOT NULL;
${webhooks(words)}`;
}
