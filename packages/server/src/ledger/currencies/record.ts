import sql from 'sql-template-tag';
import { recordKind } from '../../book/record.ts';
import { bookSettings } from '../../db/tables/tables.ts';

/** The primary currency of a book, if it was changed when the book had amounts. */
export const bookSettingsRecord = recordKind(bookSettings, {
  toWire: ({ primary_currency }) => ({ primary_currency }),
  shows: 'number primary_currency first_currency',
  rules: [
    {
      check: 'primary currencies',
      broken: sql`SELECT s.book_id, s.number AS id, 'Book ' || s.book_id || ' has the primary currency "'
          || b.primary_currency || '", but "' || s.primary_currency || '" in its settings' AS detail
        FROM book_settings s JOIN books b ON b.id = s.book_id WHERE s.primary_currency <> b.primary_currency`,
    },
  ],
});
