import { accountKey } from './account-key.ts';
import { checkedBalances, type CheckedBalances } from './balances.ts';
import type { RawEntry, RawStatement } from './raw.ts';

/** The account of a statement, and the statement that it continues. */
type Place = Pick<RawEntry, 'account' | 'series'>;

/** What is known of the last statement of an account. */
interface Link {
  readonly id: string;
  readonly page: number;
  readonly balances: CheckedBalances;
  readonly series: number;
}

/**
 * Finds statements that continue another one: the next page of it, or the next statement, whose opening balance is the
 * closing balance of the one before. Equal entries of such statements are different purchases. Equal entries of other
 * statements of one account may be the same entry, sent again.
 */
export class Chains {
  readonly #last = new Map<string, Link>();

  /** The place of a statement, which may still be open. */
  placeOf(statement: RawStatement): Place {
    const account = accountKey(statement.fields);
    const before = this.#last.get(account);
    const isContinued = before !== undefined && isNext(before, linkOf(statement));
    return { account, series: isContinued ? before.series : statement.index };
  }

  /** Adds a complete statement, at its place if that is known already. */
  close(statement: RawStatement, place: Place | null): void {
    const { account, series } = place ?? this.placeOf(statement);
    this.#last.set(account, { ...linkOf(statement), series });
  }
}

function linkOf(statement: RawStatement): Omit<Link, 'series'> {
  const { fields } = statement;
  const page = ['StmtPgntn', 'RptPgntn', 'NtfctnPgntn']
    .map((name) => fields.get(`${name}/PgNb`)?.value)
    .find((value) => value !== undefined);
  const balances = checkedBalances(statement.balances);
  return { id: fields.get('Id')?.value ?? '', page: Number(page ?? 0), balances };
}

function isNext(before: Link, link: Omit<Link, 'series'>): boolean {
  if (before.id !== '' && before.id === link.id) return link.page > before.page;
  const { opening, closing } = link.balances;
  const first = before.balances.opening;
  const last = before.balances.closing;
  if (opening === null || last === null) return false;
  if (opening.amount !== last.amount || opening.currency !== last.currency) return false;
  // With the same balances on the same days it is the same statement again, under another id.
  const isSame =
    first?.amount === opening.amount &&
    first.date === opening.date &&
    closing?.amount === last.amount &&
    closing.date === last.date;
  return !isSame;
}
