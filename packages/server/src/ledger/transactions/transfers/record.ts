import sql from 'sql-template-tag';
import { recordKind } from '../../../book/record.ts';
import { transfers } from '../../../db/tables/tables.ts';

/** A pair of transactions. What its rows say is not part of it, so that it does not change with them. */
export const transferRecord = recordKind(transfers, {
  shows: 'id sent_id received_id found_by created_at',
  toWire: ({ id, sent_id, received_id, found_by, created_at }) => ({
    id,
    sent_id,
    received_id,
    found_by,
    created_at,
  }),
  rules: [
    {
      check: 'transfers',
      broken: sql`
        SELECT book_id, id, 'Transfer ' || id || ' pairs transaction ' || sent_id || ' with itself' AS detail
        FROM transfers WHERE sent_id = received_id`,
    },
    {
      check: 'transfers',
      broken: sql`
        SELECT p.book_id, p.id, 'Transfer ' || p.id || ' says that transaction ' || p.received_id
          || ' is received, but transfer ' || o.id || ' says that it is sent' AS detail
        FROM transfers p JOIN transfers o ON o.book_id = p.book_id AND o.sent_id = p.received_id
        WHERE p.sent_id <> p.received_id`,
    },
    {
      check: 'transfers',
      broken: sql`
        SELECT p.book_id, p.id, 'Transfer ' || p.id || ' pairs the transactions ' || p.sent_id || ' and ' || p.received_id
          || ', of which one does not exist' AS detail
        FROM transfers p
        WHERE NOT EXISTS (SELECT 1 FROM transactions t WHERE t.book_id = p.book_id AND t.id = p.sent_id)
          OR NOT EXISTS (SELECT 1 FROM transactions t WHERE t.book_id = p.book_id AND t.id = p.received_id)`,
    },
  ],
});
