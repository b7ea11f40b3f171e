import { dayAt, dayOn, days, monthNames, smallestAmount, toUsd, type Day } from './calendar.ts';
import { calendar, seasons } from './household.ts';
import { everyday, groups, splits, trips, type Row } from './spending.ts';

/**
 * A small seeded random number generator: the same seed gives the same sequence on every machine. Not for secrets.
 *
 * A counter in steps of 2^32 divided by the golden ratio; each value is scrambled by two multiplications and three
 * shifts. It avoids powers and logarithms, whose last digit differs between JavaScript engines.
 */
export class Random {
  #counter: number;

  /** Uses the low 32 bits of `seed`. */
  constructor(seed: number) {
    this.#counter = scramble(seed ^ 0x5bd1e995);
  }

  /** Returns a fraction from 0 inclusive to 1 exclusive, in steps of 2^-32. */
  fraction(): number {
    this.#counter = (this.#counter + 0x9e3779b9) >>> 0;
    return scramble(this.#counter) / 4294967296;
  }

  /** Returns an integer from `least` to `most`, both inclusive. */
  integer(least: number, most: number): number {
    return least + Math.floor(this.fraction() * (most - least + 1));
  }

  /** Returns true in `percent` of 100 cases. */
  chance(percent: number): boolean {
    return this.fraction() * 100 < percent;
  }

  /** Returns one of the items, all equally likely. Throws a RangeError if there are none. */
  pick<T>(items: readonly T[]): T {
    return existing(items[this.integer(0, items.length - 1)]);
  }

  /** Returns one of the items in proportion to their weights; `sums` are the {@link runningSums} of the weights. */
  pickWeighted<T>(items: readonly T[], sums: readonly number[]): T {
    const place = this.fraction() * (sums.at(-1) ?? 0);
    return existing(items[sums.findIndex((sum) => place < sum)]);
  }
}

/** Returns each weight (0 or more, not all 0) added to those before it. */
function runningSums(weights: readonly number[]): number[] {
  let sum = 0;
  return weights.map((weight) => (sum += weight));
}

function existing<T>(item: T | undefined): T {
  if (item === undefined) throw new RangeError('There is nothing to pick from');
  return item;
}

function scramble(value: number): number {
  let mixed = value | 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/** A transaction that refers to other records by name, not by index. */
export interface Draft {
  readonly day: number;
  /** Integer ten-thousandths, debit positive. */
  amount: number;
  readonly currency: string;
  /** Of a group, whose members may have the rates of several days. */
  readonly to_base?: number;
  readonly payee: string;
  readonly category: string | undefined;
  /** The key of an account, or `cash`. */
  readonly account: string;
  readonly notes?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  /** The bank's name of a shop, with the number of the branch. */
  readonly bankName?: string | undefined;
  readonly parentOf?: 'split' | 'group';
  readonly parent?: Draft;
  /** The other transaction of a transfer. */
  readonly counterpart?: Draft;
}

/** Drafts that belong together: a single one, both ends of a transfer, a parent with its parts. */
type Unit = readonly Draft[];
type Kind = 'split' | 'group';

/** Prices in percent of those of 2016, from 2016 to 2026. */
const priceLevels = [100, 102, 104, 106, 107, 112, 121, 127, 130, 134, 137];

/**
 * Returns everything in a book of `size` rows except everyday purchases, in no particular order.
 *
 * A book with fewer than 12,000 rows has an evenly chosen share of the calendar, including its first and last row; a
 * larger one has all of it once. Splits and groups are in proportion, at least one of each. Nothing is after `last`.
 */
export function draftSchedule(size: number, random: Random, last: number): Draft[] {
  const share = size / 12_000;
  const units = [...calendar, ...bookings]
    .flatMap((row) => draftRow(row, random))
    .filter((unit) => unit.every(({ day }) => day <= last));
  units.sort((one, other) => one[0]!.day - other[0]!.day);
  const isChosen = (_: Unit, at: number) =>
    at === 0 || at === units.length - 1 || Math.floor(at * share) < Math.floor((at + 1) * share);
  const splitUnits = draftBundles('split', splits, 40 * share, random, last);
  const groupUnits = draftBundles('group', groups, 30 * share, random, last);
  return [...units.filter(isChosen), ...splitUnits, ...groupUnits].flat();
}

/** The flights, paid two months in advance, and the bills for lodging on the last day, as rows of the calendar. */
const bookings = trips.flatMap(({ cells }): Row[] => {
  const [tags = '', start = '', nights, currency = '', airline = '', fare, host = '', price] =
    cells;
  const ahead = dayAt(dayOn(start) - 61).date;
  const last = dayAt(dayOn(start) + Number(nights)).date;
  return [
    { cells: [airline, 'Flights', 'travelCard', `${ahead} ${fare}`], options: { tags } },
    { cells: [host, 'Lodging', 'travelCard', `${last} ${price}`], options: { tags, currency } },
  ];
});

function draftRow({ cells, options }: Row, random: Random): Unit[] {
  const [payee = '', category, account = '', ...steps] = cells;
  const { currency = 'usd', notes, to, as = payee, waver = 0 } = options;
  const season = seasons[options.seasons ?? ''];
  const tags = options.tags?.split(', ');
  return listDue(steps, options).map(([day, cents]) => {
    const percent = season?.[dayAt(day).month - 1] ?? 100;
    const thousandths = 1000 + random.integer(-10 * Number(waver), 10 * Number(waver));
    const amount = Math.round((cents * percent * thousandths) / 100_000) * smallestAmount(currency);
    const draft = { day, amount, currency, payee, category, account, notes, tags };
    if (to === undefined) return [draft];
    // The other bank books it on the same day or the next; no transfer is due on the very last day.
    const received = { day: day + random.integer(0, 1), amount: -amount, payee: as, account: to };
    const counterpart = { ...draft, ...received };
    return [{ ...draft, counterpart }, counterpart];
  });
}

/** Returns the days on which a row of the calendar is due, each with its price in cents. */
function listDue(
  cells: readonly string[],
  options: Row['options'],
): [day: number, cents: number][] {
  const { due, every = '1', until = '9999' } = options;
  const steps = cells.map((cell) => cell.split(' ') as [from: string, cents: string]);
  if (due === undefined) return steps.map(([date, cents]) => [dayOn(date), Number(cents)]);
  const list: [number, number][] = [];
  for (let at = monthNames.indexOf(steps[0]![0]); at < monthNames.length; at += Number(every)) {
    const month = monthNames[at]!;
    const cents = Number(steps.findLast(([from]) => from <= month)![1]);
    if (month > until || cents === 0) continue;
    for (const day of due.split(', ')) list.push([dayOn(`${month}-${day}`), cents]);
  }
  return list;
}

/** Returns splits or groups, spread evenly over the ten years up to the pending days. */
function draftBundles(
  kind: Kind,
  rows: readonly Row[],
  share: number,
  random: Random,
  last: number,
): Unit[] {
  const count = Math.max(1, Math.round(share));
  return Array.from({ length: count }, (_, at) => {
    const day = Math.floor(((at + random.fraction()) / count) * (last - 14));
    const { date } = dayAt(day);
    const row = random.pick(rows.filter(({ options: { from = '' } }) => from <= date));
    return draftBundle(kind, row, day, random);
  });
}

/** Returns a parent and at least two parts. A group is on the day of its first part, in no account. */
function draftBundle(parentOf: Kind, { cells, options }: Row, day: number, random: Random): Unit {
  const [payee = '', account = '', ...possible] = cells;
  const { currency = 'usd', notes } = options;
  const tags = options.tags?.split(', ');
  const isSplit = parentOf === 'split';
  const parts = possible.slice(0, random.integer(2, possible.length)).map((cell, at) => {
    const { payee: own = payee, category, least, most } = readOffer(cell);
    const amount = random.integer(least, most) * smallestAmount(currency);
    const place = { day: isSplit ? day : day + at, account: amount < 0 ? 'checking' : account };
    return { ...place, amount, currency, payee: own, category, tags };
  });
  const amount = parts.reduce((sum, part) => sum + part.amount, 0);
  const to_base = parts.reduce((sum, part) => sum + toUsd(part.amount, currency, part.day), 0);
  const isShared = parts.every(({ category }) => category === parts[0]?.category);
  const category = isShared ? parts[0]?.category : options.category;
  const place = { day, currency, to_base, account: isSplit ? account : 'cash' };
  const parent = { ...place, amount, payee, category, notes, tags, parentOf };
  return [parent, ...parts.map((part) => ({ ...part, parent }))];
}

/** Parses `Category: Payee 100..900`; category and payee may be missing. */
function readOffer(cell: string, usual?: string) {
  const match = /^(?:([^:]+): ?)?(?:([^:]+) )?(-?\d+)\.\.(-?\d+)$/.exec(cell)!;
  const [, category = usual, payee] = match;
  const bankNames = [104, 237, 815].map((branch) => `${String(payee).toUpperCase()} #${branch}`);
  return { category, payee, bankNames, least: Number(match[3]), most: Number(match[4]) };
}

type Habit = ReturnType<typeof readHabit>;

function readHabit({ cells, options }: Row, currency: string) {
  const [category, payers = '', weight, ...offers] = cells;
  const [, tag, tagPercent] = /^(.+) (\d+)$/.exec(options.tag ?? '') ?? [];
  return {
    currency,
    offers: offers.map((offer) => readOffer(offer, category)),
    paidBy: payers.split(', '),
    weight: Number(weight),
    weekend: Number(options.weekend ?? 100),
    lockdown: Number(options.lockdown ?? 100),
    season: seasons[options.seasons ?? ''],
    from: options.from ?? '',
    sign: options.refund === undefined ? 1 : -1,
    tags: tag === undefined ? undefined : [tag],
    tagPercent: Number(tagPercent),
    notes: options.notes?.split('; ') ?? [],
  };
}

const habitsAtHome = everyday.map((row) => readHabit(row, 'usd'));
const habitsAway = new Map<number, readonly Habit[]>();
for (const { cells } of trips) {
  const [tag = '', start = '', nights, currency = '', , , , , ...offers] = cells;
  const payers = currency === 'eur' ? 'travelCard, euro' : 'travelCard, cash';
  const habits = offers.map((offer, at) => {
    const weight = String(700 - 200 * at);
    return readHabit(
      { cells: ['', payers, weight, offer], options: { tag: `${tag} 100` } },
      currency,
    );
  });
  for (let at = 0; at <= Number(nights); at += 1) habitsAway.set(dayOn(start) + at, habits);
}

const habitsByDay = days.map((_, index) => habitsAway.get(index) ?? habitsAtHome);
/** The weight of each day, by its habits. */
const sumsByDay = days.map((day, index) => {
  return runningSums(habitsByDay[index]!.map((habit) => weightOn(day, habit)));
});

/** Generates `count` everyday purchases up to a last day, at home and on trips, in order of time. */
export function* draftPurchases(count: number, random: Random, last: number): Generator<Draft> {
  // The last days count twice, so that some rows are pending.
  const weights = sumsByDay.map((sums, day) => sums.at(-1)! * (day > last - 4 ? 2 : 1));
  const ends = runningSums(weights.slice(0, last + 1));
  const step = ends[last]! / count;
  let day = 0;
  for (let at = 0; at < count; at += 1) {
    const place = (at + random.fraction()) * step;
    while (place >= ends[day]! && day < last) day += 1;
    yield draftPurchase(random.pickWeighted(habitsByDay[day]!, sumsByDay[day]!), day, random);
  }
}

function weightOn({ monthName, month, weekday }: Day, habit: Habit): number {
  if (monthName < habit.from) return 0;
  const weekend = weekday === 0 || weekday === 6 ? habit.weekend : 100;
  const lockdown = monthName >= '2020-04' && monthName <= '2021-03' ? habit.lockdown : 100;
  return habit.weight * weekend * lockdown * (habit.season?.[month - 1] ?? 100);
}

function draftPurchase(habit: Habit, day: number, random: Random): Draft {
  const { currency, notes } = habit;
  const { payee = '', bankNames, category, least, most } = random.pick(habit.offers);
  const level = currency === 'usd' ? priceLevels[dayAt(day).year - 2016]! : 100;
  // Low prices are more likely.
  const price = Math.floor((random.integer(least, random.integer(least, most)) * level) / 100);
  return {
    day,
    amount: habit.sign * price * smallestAmount(currency),
    currency,
    payee,
    category,
    account: random.pick(habit.paidBy),
    notes: notes.length > 0 && random.chance(7) ? random.pick(notes) : undefined,
    tags: random.chance(habit.tagPercent) ? habit.tags : undefined,
    bankName: random.pick(bankNames),
  };
}
