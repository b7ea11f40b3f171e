import { recordKind } from '../../book/record.ts';
import { manualCryptoAccounts } from '../../db/tables/tables.ts';
import { toWire } from './rules.ts';

export const manualCryptoRecord = recordKind(manualCryptoAccounts, {
  toWire,
  shows: `id name display_name institution_name symbol coingecko_id quantity to_base price_as_of balance_as_of
    created_by_name created_at updated_at`,
});
