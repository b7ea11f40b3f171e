import type { DraftTransaction } from './draft-transaction.ts';
import { dayAt, lastDay } from './calendar.ts';
import type { Random } from './random.ts';

/** What the sync service sent along is kept for rows of about the last year. */
const plaidMetadataDays = 400;

/** The sync service's description of a row as JSON text; null for rows older than about a year. */
export function plaidMetadata(
  draft: DraftTransaction,
  originalName: string,
  random: Random,
): string | null {
  if (draft.day < lastDay - plaidMetadataDays) return null;
  return JSON.stringify({
    transaction_id: syncId(random),
    name: originalName,
    merchant_name: draft.bankName === null ? null : draft.payee,
    amount: draft.amount / 10_000,
    iso_currency_code: draft.currency.toUpperCase(),
    date: dayAt(draft.day).date,
    authorized_date: dayAt(draft.day - random.integer(0, 2)).date,
    pending: draft.isPending,
    payment_channel: draft.bankName === null ? 'other' : 'in store',
  });
}

/** Something that the household's own script noted on one row in a hundred or so, as JSON text. */
export function customMetadata(random: Random): string | null {
  if (!random.chance(0.8)) return null;
  const note = random.integer(0, 2);
  if (note === 0)
    return JSON.stringify({ receipt: `R-${random.integer(10_000, 99_999)}`, pages: 1 });
  if (note === 1)
    return JSON.stringify({ checkedBy: 'ledger-script', run: random.integer(1, 400) });
  return JSON.stringify({
    place: { lat: 45.52, lon: -122.68 },
    mood: random.pick(['🙂', '😬', '🤷']),
  });
}

/** 28 digits and small letters. */
function syncId(random: Random): string {
  const quarter = () => random.integer(0, 2_176_782_335).toString(36).padStart(7, 'q');
  return quarter() + quarter() + quarter() + quarter();
}
