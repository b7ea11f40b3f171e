import type { Decimal } from '../../statement/amounts.ts';
import type { EntryPart } from '../../statement/statement.ts';
import { currencyCode, valueOf } from './account-key.ts';
import type { Fields, RawEntry } from './raw.ts';
import { detailTexts } from './texts.ts';
import { directed, readCamtAmount, readDirection } from './values.ts';

/** An entry's own amount, positive, and its currency. */
export interface Whole {
  readonly amount: number;
  readonly direction: 1 | -1;
  readonly currency: string | null;
}

/**
 * The payments of a batch, if their amounts total that of the entry in its currency. Null if they do not, if there is
 * only one, or if there are more than a split transaction may have.
 */
export function partsOf(
  raw: RawEntry,
  whole: Whole,
  decimal: Decimal | undefined,
): EntryPart[] | null {
  const { details, detailCount } = raw;
  if (detailCount < 2 || detailCount > details.length) return null;
  const amounts = details.map((detail) => amountOf(detail, whole.currency, decimal));
  if (!amounts.every((amount) => amount !== null)) return null;
  const directions = details.map((detail) => readDirection(valueOf(detail, 'CdtDbtInd')));
  const total = BigInt(directed(whole.amount, whole.direction));
  const own = amounts.map((amount, at) => directed(amount, directions[at] ?? whole.direction));
  const same = amounts.map((amount) => directed(amount, whole.direction));
  // Some banks give the details the direction that the payment has for the other party.
  const signed = [own, same].find((all) => sum(all) === total);
  return signed === undefined
    ? null
    : details.map((detail, at) => {
        const amount = signed[at]!;
        const { payee, notes } = detailTexts(raw, detail, whole.direction);
        return { amount, payee, notes: notes || null, category: null };
      });
}

/** The amount of a detail in a currency; never the instructed amount. */
function amountOf(
  detail: Fields,
  currency: string | null,
  decimal: Decimal | undefined,
): number | null {
  const field = ['Amt', 'AmtDtls/TxAmt/Amt']
    .map((path) => detail.get(path))
    .find((one) => one !== undefined && isIn(one.currency, currency));
  const amount = field === undefined ? null : readCamtAmount(field.value, decimal);
  return typeof amount === 'number' && amount >= 0 ? amount : null;
}

function isIn(code: string | null, currency: string | null): boolean {
  return code === null || currencyCode(code) === currency;
}

function sum(amounts: readonly number[]): bigint {
  return amounts.reduce((total, amount) => total + BigInt(amount), 0n);
}
