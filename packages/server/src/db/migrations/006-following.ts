import { webhooks } from './following/webhooks.ts';
import type { MigrationWords } from './words.ts';

/**
 * The sixth schema: what history, undo and the change feed look up, and webhooks.
 *
 * The log has all changes of a book after `pruned_version`, without a gap: a book begins with version 1, older schemas
 * had no log, and repairs by the doctor had no entry until now. Most of its lines are about one record; those about a
 * range of ids have two indexes of their own, because the id of a record does not say where a range that contains it
 * begins: for ranges of at most 512 ids it is near, and longer ranges are few. `repeats` is 1 for a line whose version
 * has an earlier line about the same table, so that the versions that changed a table are found without reading all
 * lines. An older node does not set it: such lines are only read in vain.
 */
export function following(words: MigrationWords): string {
  return `
ALTER TABLE books ADD COLUMN pruned_version ${words.integer} NOT NULL DEFAULT 0;
UPDATE books SET pruned_version = first.pruned FROM (
  SELECT b.id, coalesce(min(c.version) - 1, b.version) AS pruned
  FROM books b LEFT JOIN changes c ON c.book_id = b.id GROUP BY b.id, b.version
) first WHERE first.id = books.id AND first.pruned > 1;
INSERT INTO changes (book_id, version, at, actor, operation, undoes)
  WITH RECURSIVE gaps (book_id, version, at, next) AS (
    SELECT book_id, version + 1, at, next FROM (
      SELECT c.book_id, c.version, c.at,
        coalesce(lead(c.version) OVER (PARTITION BY c.book_id ORDER BY c.version), b.version + 1) AS next
      FROM changes c JOIN books b ON b.id = c.book_id
    ) followed WHERE next > version + 1
    UNION ALL
    SELECT book_id, version + 1, at, next FROM gaps WHERE version + 1 < next
  )
  SELECT book_id, version, at, 'command', 'doctor', NULL FROM gaps;
ALTER TABLE changed_records ADD COLUMN repeats ${words.integer} NOT NULL DEFAULT 0;
CREATE INDEX changed_records_by_table ON changed_records (book_id, record, version) WHERE repeats = 0;
CREATE INDEX changed_record_ranges ON changed_records (book_id, record, first_id, last_id) WHERE last_id > first_id;
CREATE INDEX changed_record_long_ranges ON changed_records (book_id, record, first_id, last_id)
  WHERE last_id - first_id >= 512;
CREATE INDEX changes_by_actor ON changes (book_id, ${words.byBytes('actor')}, version);
CREATE INDEX changes_by_operation ON changes (book_id, ${words.byBytes('operation')}, version);
CREATE INDEX changes_by_time ON changes (book_id, at);
CREATE INDEX changes_by_undone_version ON changes (book_id, undoes) WHERE undoes IS NOT NULL;
${webhooks(words)}`;
}
