import { webhooks } from './following/webhooks.ts';
import type { MigrationWords } from './words.ts';

/**
 * The sixth schema: what history, undo and the change feed look up, and webhooks.
 *
 * The log has all changes of a book after `pruned_version`. Most of its lines are about one record; those about a range
 * of ids have two indexes of their own, because the id of a record does not say where a range that contains it begins:
 * for ranges of at most 512 ids it is near, and longer ranges are few. `repeats` is 1 for a line whose version has an
 * earlier line about the same table, so that the versions that changed a table are found without reading all lines. An
 * older node does not set it: such lines are only read in vain.
 */
export function following(words: MigrationWords): string {
  return `
ALTER TABLE books ADD COLUMN pruned_version ${words.integer} NOT NULL DEFAULT 0;
ALTER TABLE changed_records ADD COLUMN repeats ${words.integer} NOT NULL DEFAULT 0;
CREATE INDEX changed_records_by_table ON changed_records (book_id, record, version) WHERE repeats = 0;
CREATE INDEX changed_record_ranges ON changed_records (book_id, record, first_id, last_id) WHERE last_id > first_id;
CREATE INDEX changed_record_long_ranges ON changed_records (book_id, record, first_id, last_id)
  WHERE last_id - first_id >= 512;
CREATE INDEX changes_by_actor ON changes (book_id, actor, version);
CREATE INDEX changes_by_operation ON changes (book_id, operation, version);
CREATE INDEX changes_by_time ON changes (book_id, at);
CREATE INDEX changes_by_undone_version ON changes (book_id, undoes) WHERE undoes IS NOT NULL;
${webhooks(words)}`;
}
