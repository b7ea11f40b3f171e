import { unitCurrency } from '../../currencies.ts';
import type { ColumnKey } from '../column-map.ts';
import { folded, withoutEnd, wordsOf } from './fold.ts';
import { LANGUAGES } from './languages/index.ts';
import type { Vocabulary } from './vocabulary.ts';

/** The lists of a vocabulary that name a column, preferred first. */
const ROLES: readonly (readonly [keyof Vocabulary, ColumnKey])[] = [
  ['transactionDate', 'date'],
  ['date', 'date'],
  ['bookingDate', 'date'],
  ['valueDate', 'date'],
  ['accountAmount', 'amount'],
  ['amount', 'amount'],
  ['debit', 'debit'],
  ['credit', 'credit'],
  ['direction', 'direction'],
  ['payee', 'payee'],
  ['description', 'payee'],
  ['notes', 'notes'],
  ['category', 'category'],
  ['tags', 'tags'],
  ['account', 'account'],
  ['accountCurrency', 'currency'],
  ['currency', 'currency'],
  ['balance', 'balance'],
  ['status', 'status'],
  ['fee', 'fee'],
];
const RANKS_OF_ROLE = 1000;
/** The first rank of a description that is not the name of the other party. */
export const DESCRIPTION_RANK = RANKS_OF_ROLE * ROLES.findIndex(([role]) => role === 'description');

type Ranks = Partial<Record<ColumnKey, number>>;

function rankedNames(): ReadonlyMap<string, Ranks> {
  const names = new Map<string, Ranks>();
  for (const [place, [role, key]] of ROLES.entries()) {
    for (const language of LANGUAGES) {
      for (const [index, name] of wordsOf(language[role]).entries()) {
        const ranks = names.get(name) ?? {};
        ranks[key] = Math.min(ranks[key] ?? Infinity, place * RANKS_OF_ROLE + index);
        names.set(name, ranks);
      }
    }
  }
  // A plain `id` is not an external id: row numbers of two files would collide.
  for (const name of ['external id', 'fitid']) names.set(name, { external_id: 0 });
  return names;
}

const NAMES = rankedNames();

/** What a name of the header can mean. */
export interface HeaderName {
  /** Lower ranks are preferred. */
  readonly ranks: Ranks;
  /** The currency in a name such as `Amount (EUR)` or `Betrag in EUR`; null if there is none. */
  readonly currency: string | null;
}

// An amount in parentheses that is not the money of the account.
const OTHER_MONEY =
  /foreign|fremd|original|origin|local|fee|tax|tip|intl|etrang|extranj|estera|obcej|utland|ulkoma|vreemde/;
const UNKNOWN: HeaderName = { ranks: {}, currency: null };

/** Looks up a name of the header. A name with a unit ranks after the same name without one. */
export function headerName(cell: string): HeaderName {
  const whole = folded(cell)
    .replace(/^["'*#]+/, '')
    .replace(/(?<!["':*])["':*]+$/, '')
    .trim();
  const exact = NAMES.get(whole) ?? NAMES.get(whole.replace(/\.$/, ''));
  const unit = unitIn(cell);
  if (exact !== undefined) return { ranks: exact, currency: unit };
  if (OTHER_MONEY.test(whole) && whole.includes('(')) return UNKNOWN;
  for (const bare of withoutUnit(whole)) {
    const ranks = NAMES.get(bare);
    if (ranks !== undefined) return { ranks: later(ranks), currency: unit };
  }
  return UNKNOWN;
}

function later(ranks: Ranks): Ranks {
  return Object.fromEntries(Object.entries(ranks).map(([key, rank]) => [key, rank + 400]));
}

/** The name without parentheses, brackets, a currency or a preposition before it. */
function withoutUnit(name: string): string[] {
  const plain = name.replace(/ ?[([][^()[\]]*[)\]]$/, '').trim();
  const rest = plain.replace(
    /[ ,/:-](?:(?:in|en|em|w|i|v|u|σε|в|an) )?(?:[a-z]{3}|\p{Sc}|r\$|kr|zl|kc|rs\.?)$/u,
    '',
  );
  const tail = rest === plain ? plain : withoutEnd(rest, /[ ,/:-]/);
  const head = plain.replace(/^(?:[a-z]{3}|\p{Sc}) /u, '');
  return [plain, tail.trim(), head, plain.replace(/[.:*]$/, '')];
}

function unitIn(cell: string): string | null {
  const inside = /[([] ?(?:in )?([^()[\]]{1,5}) ?[)\]]/i.exec(cell.replace(/\s+/g, ' '))?.[1];
  if (inside !== undefined) return unitCurrency(inside.trim());
  const last = /(?:^|\s)([A-Z]{3}|\p{Sc}|R\$|zł)$/u.exec(cell.trim())?.[1];
  const first = /^([A-Z]{3})\s/.exec(cell.trim())?.[1];
  const isAlone = cell.trim().length <= 3;
  return isAlone ? null : unitCurrency(last ?? first ?? '');
}
