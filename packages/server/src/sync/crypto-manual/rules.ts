import { divideHalfToEven } from '@coffer/core/money';
import { formatQuantity, isQuantity, parseQuantity, quantityPlaces } from '@coffer/core/quantities';
import type { Row } from '../../db/table.ts';
import type { manualCryptoAccounts } from '../../db/tables/tables.ts';
import { wireNumber } from '../../operations/schema.ts';
import type { ManualCryptoAccount } from './schema.ts';

const numberText = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/;

/**
 * Returns a quantity of a request in units of 10^-18.
 *
 * A JSON number is rounded to 18 decimals, half to even, as it would be printed. Returns null for a text with more
 * decimals, and for 10^18 of the asset or more, above or below zero.
 */
export function parseQuantityInput(value: number | string): bigint | null {
  const text = String(value);
  const size = typeof value === 'number' ? sizeOf(text) : parseQuantity(text.replace(/^-/, ''));
  if (size === null) return null;
  return text.startsWith('-') ? -size : size;
}

function sizeOf(text: string): bigint | null {
  const match = numberText.exec(text);
  if (match === null) return null;
  const [, , units = '', fraction = '', power = '0'] = match;
  const exponent = Number(power) - fraction.length + quantityPlaces;
  // Larger than any quantity, whatever its digits.
  if (exponent > 2 * quantityPlaces) return null;
  const digits = BigInt(units + fraction);
  const size =
    exponent >= 0
      ? digits * 10n ** BigInt(exponent)
      : divideHalfToEven(digits, 10n ** BigInt(-exponent));
  return isQuantity(size) ? size : null;
}

/** Formats a quantity in units of 10^-18 as a decimal with 18 places, with a minus sign below zero. */
export function formatSigned(quantity: bigint): string {
  return quantity < 0n ? `-${formatQuantity(-quantity)}` : formatQuantity(quantity);
}

/** Returns a stored quantity in units of 10^-18. Throws for a text that {@link formatSigned} did not write. */
export function parseSigned(text: string): bigint {
  const quantity = parseQuantityInput(text);
  if (quantity === null) throw new Error(`The column "quantity" is "${text}": expected a quantity`);
  return quantity;
}

/** Returns a manual crypto account as in a response. */
export function toWire(row: Row<typeof manualCryptoAccounts>): ManualCryptoAccount {
  return {
    id: row.id,
    name: row.name,
    display_name: row.display_name,
    institution_name: row.institution_name,
    balance: row.quantity,
    symbol: row.symbol,
    coingecko_id: row.coingecko_id,
    to_base: row.to_base === null ? null : wireNumber(row.to_base),
    balance_as_of: row.balance_as_of,
    exchange_rate_as_of: row.price_as_of,
    created_by_name: row.created_by_name,
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}
