import { dateOfDay, dayNumber } from '@coffer/core/dates';
import type { FinderAccount, FinderRow } from '../finder.ts';

/** A month of a household, with the pairs of its rows that are transfers. */
export interface HouseholdMonth {
  readonly accounts: readonly FinderAccount[];
  readonly rows: readonly FinderRow[];
  readonly pairs: readonly (readonly [sentId: number, receivedId: number])[];
}

type Draw = <T>(of: readonly T[]) => T;

/** How the banks of a household write the two rows of a transfer. */
const styles = ['number', 'names', 'one name', 'words', 'nothing'] as const;
type Style = (typeof styles)[number];

const firstDay = dayNumber('2026-03-01');
const perEuro = { eur: 1, usd: 0.9 } as const;
type Currency = keyof typeof perEuro;

const households = [
  ['Giro Sparkasse', 'Tagesgeld', 'Visa Gold', 'Dollar Konto', 'Haushalt'],
  ['Everyday Checking', 'Rainy Day Savings', 'Voyager Card', 'Dollar Account', 'Joint Account'],
  ['Compte courant', 'Livret A', 'Carte Premier', 'Compte dollars', 'Compte joint'],
] as const;
const keys = ['checking', 'savings', 'card', 'dollars', 'joint'] as const;
type Key = (typeof keys)[number];

const shops = ['Corner Bakery', 'AMAZON MKTPLACE', 'Rewe', 'Shell', 'Zara', 'Payment Systems Ltd'];
const people = ['Anna Berg', 'Ben Ode', 'Dr. Winter', 'M. Lefebvre'];
const words = [
  ['Online transfer', 'Transfer in'],
  ['Überweisung', 'Umbuchung'],
  ['Virement', 'Virement reçu'],
] as const;

/** Returns the month with a number; the same number has the same month. */
export function householdMonth(number: number): HouseholdMonth {
  return new Month(number).month();
}

class Month {
  #seed: number;
  readonly #rows: FinderRow[] = [];
  readonly #pairs: (readonly [number, number])[] = [];
  readonly #language: number;
  readonly #style: Style;

  constructor(number: number) {
    this.#seed = number * 7919 + 17;
    this.#language = number % households.length;
    this.#style = styles[number % styles.length]!;
  }

  month(): HouseholdMonth {
    this.#everyday();
    this.#transfers();
    this.#lookAlikes();
    const names = households[this.#language]!;
    const accounts = keys.map((key, at) => ({ key, names: [names[at]!], isOwed: key === 'card' }));
    return { accounts, rows: this.#rows, pairs: this.#pairs };
  }

  #everyday(): void {
    this.#row('checking', 1, -32_500_000 - this.#below(9000), 'ACME Payroll salary');
    this.#row('checking', 2, 11_000_000, 'Rent Immo GmbH');
    for (let at = 0; at < 40; at += 1) {
      const account = this.#pick(['card', 'card', 'checking', 'joint'] as const);
      this.#row(account, this.#day(), this.#cents(3, 150), this.#pick(shops));
    }
    for (let at = 0; at < 4; at += 1) {
      const round = this.#pick([10, 20, 50, 100]) * 10_000;
      this.#row('checking', this.#day(), round, `ATM ${this.#pick(shops)}`);
    }
  }

  #transfers(): void {
    this.#transfer('checking', 'savings', this.#pick([200, 250, 500, 1000]) * 10_000);
    this.#transfer('checking', 'joint', this.#cents(300, 900));
    if (this.#chance(0.5)) this.#transfer('savings', 'checking', this.#cents(20, 400));
    if (this.#chance(0.4))
      this.#transfer('checking', 'dollars', this.#cents(50, 900), { rate: true });
    if (this.#chance(0.3))
      this.#transfer('savings', 'joint', this.#cents(400, 2000), { fee: true });
    if (this.#chance(0.4)) this.#twice();
    this.#cardPayment(this.#cents(200, 1900));
  }

  /** Two equal transfers on one day, into one account or two. */
  #twice(): void {
    const [amount, day] = [this.#pick([50, 100, 150]) * 10_000, this.#day()];
    this.#transfer('checking', 'savings', amount, { day, lag: 0 });
    this.#transfer('checking', this.#pick(['savings', 'joint'] as const), amount, { day, lag: 0 });
  }

  #lookAlikes(): void {
    const shop = this.#pick(shops);
    const price = this.#cents(15, 120);
    // A purchase with one card, and its refund to another account.
    const day = this.#day();
    this.#row('checking', day, price, shop);
    const refund = this.#pick([shop, `${shop} refund`, `Refund transfer ${shop}`, 'Erstattung']);
    this.#row(this.#pick(['card', 'joint'] as const), day + this.#below(5), -price, refund);
    // Money to one person, and the same amount from another one.
    const gift = this.#pick([20, 50, 75]) * 10_000;
    const [out, into] = words[this.#language]!;
    this.#row('checking', day, gift, `${out} ${this.#pick(people)}`);
    this.#row('joint', day + this.#below(4), -gift, `${into} ${this.#pick(people)}`);
    // The return of a purchase with a card, which looks like a payment of the card.
    const returned = this.#cents(30, 200);
    this.#row('checking', day, returned, `Card payment ${shop}`);
    this.#row('card', day + 2, -returned, `${shop} return`);
  }

  #cardPayment(amount: number): void {
    const [day, lag] = [this.#day(), this.#below(4)];
    if (this.#style !== 'words' && this.#style !== 'nothing') {
      this.#transfer('checking', 'card', amount, { day, lag });
      return;
    }
    const sent = this.#row('checking', day, amount, 'CREDIT CARD BILL AUTOPAY');
    this.#pairs.push([sent, this.#row('card', day + lag, -amount, 'PAYMENT RECEIVED THANK YOU')]);
  }

  #transfer(
    from: Key,
    to: Key,
    amount: number,
    {
      rate = false,
      fee = false,
      day = this.#day(),
      lag = this.#below(6),
    }: {
      rate?: boolean;
      fee?: boolean;
      day?: number;
      lag?: number;
    } = {},
  ): void {
    const [sentText, receivedText] = this.#texts(from, to);
    const charged = fee ? this.#cents(1, 8) : 0;
    const spread = 0.97 + this.#below(30) / 1000;
    const arrived = rate ? Math.round((amount / perEuro.usd) * spread) : amount - charged;
    const isNumbered = this.#style === 'number';
    const sent = this.#row(from, day, amount, sentText, isNumbered ? to : undefined);
    const received = this.#row(
      to,
      day + lag,
      -arrived,
      receivedText,
      isNumbered ? from : undefined,
    );
    this.#pairs.push([sent, received]);
  }

  #texts(from: Key, to: Key): readonly [string, string] {
    const names = households[this.#language]!;
    const nameOf = (key: Key): string => names[keys.indexOf(key)]!;
    const [out, into] = words[this.#language]!;
    switch (this.#style) {
      case 'number':
        return [this.#pick(people), this.#pick(people)];
      case 'names':
        return [`${out} ${nameOf(to)}`, `${into} ${nameOf(from)}`];
      case 'one name':
        return [`${out} to ${nameOf(to)}`, 'Deposit'];
      case 'words':
        return [out, into];
      case 'nothing':
        // Without a word, a bank that charges or converts still says what it did.
        return ['Order 12', 'Credit'];
    }
  }

  #row(account: Key, day: number, amount: number, text: string, other?: Key): number {
    const id = this.#rows.length + 1;
    const currency: Currency = account === 'dollars' ? 'usd' : 'eur';
    const toBase = Math.round(amount * perEuro[currency]);
    const date = dateOfDay(firstDay + day);
    const named = other === undefined ? {} : { other };
    this.#rows.push({ id, date, amount, currency, toBase, account, text, ...named });
    return id;
  }

  #below(most: number): number {
    // The minimal standard generator of Park and Miller.
    this.#seed = (this.#seed * 48_271) % 2_147_483_647;
    return this.#seed % most;
  }

  #pick: Draw = (of) => of[this.#below(of.length)]!;

  #day(): number {
    return 1 + this.#below(24);
  }

  /** An amount with cents between two whole ones, in ten-thousandths. */
  #cents(least: number, most: number): number {
    return (least * 100 + this.#below((most - least) * 100)) * 100;
  }

  #chance(share: number): boolean {
    return this.#below(1000) < share * 1000;
  }
}
