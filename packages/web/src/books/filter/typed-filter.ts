import { lastDayOf } from '../formats/dates.ts';

/** What a typed search means. Dates are days, amounts decimals without a sign; null where nothing was typed. */
export interface TypedFilter {
  readonly words: string;
  readonly startDate: string | null;
  readonly endDate: string | null;
  readonly minAmount: string | null;
  readonly maxAmount: string | null;
}

const date = String.raw`(?:19|20)\d\d(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?)?`;
const dateRange = new RegExp(String.raw`^(${date})?\.\.(${date}|0[1-9]|1[0-2])?$`);
const oneDate = /^(?:19|20)\d\d-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?$/;
const amount = String.raw`(\d{1,11}(?:[.,]\d{1,4})?)?`;
const amountRange = new RegExp(String.raw`^${amount}\.\.${amount}$`);

/** Most words of a search. */
const mostWords = 10;
const mostCharacters = 200;
/** What separates words: the service has no text with NUL. */
const blanks = /[\s\p{Cc}]+/u;

/** A text as it is searched: its first ten words, in at most 200 characters, and whether that is not all of it. */
export interface Searched {
  readonly words: string;
  readonly isCut: boolean;
}

/** Returns what the service can search of a text. A single word that is too long is cut. */
export function searchedIn(text: string): Searched {
  // As the service compares it, because some characters become blanks.
  const all = wordsOf(text.normalize('NFKD'));
  const words = all.slice(0, mostWords);
  while (words.length > 1 && words.join(' ').length > mostCharacters) words.pop();
  const found = words.join(' ').slice(0, mostCharacters);
  return { words: found, isCut: found !== all.join(' ') };
}

function wordsOf(text: string): string[] {
  return text.split(blanks).filter((word) => word !== '');
}

/**
 * Reads a typed search: words, ranges of amounts (`70..90`, `70..`, `..90`) and of dates (`2026-03..05`, `2026-03`,
 * `2026-03-01..2026-04-15`, `2025..2026`), in any order. What is neither is a word. The last range of a kind counts.
 */
export function readTyped(text: string): TypedFilter {
  const words: string[] = [];
  let found: Omit<TypedFilter, 'words'> = noRanges;
  for (const word of wordsOf(text)) {
    const range = datesOf(word) ?? amountsOf(word);
    if (range === null) words.push(word);
    else found = { ...found, ...range };
  }
  return { ...found, words: words.join(' ') };
}

const noRanges = { startDate: null, endDate: null, minAmount: null, maxAmount: null };

function datesOf(word: string): Pick<TypedFilter, 'startDate' | 'endDate'> | null {
  if (oneDate.test(word)) return { startDate: firstDay(word), endDate: lastDay(word) };
  const [isRange, from, to] = dateRange.exec(word) ?? [];
  if (isRange === undefined || (from === undefined && (to === undefined || to.length < 4)))
    return null;
  // 2026-03..05 is a range of months; 12..20 is one of amounts.
  const end = to?.length === 2 ? monthIn(from, to) : to;
  if (end === null) return null;
  const isTurned = from !== undefined && end !== undefined && firstDay(from) > lastDay(end);
  const [first, last] = isTurned ? [end, from] : [from, end];
  return {
    startDate: first === undefined ? null : firstDay(first),
    endDate: last === undefined ? null : lastDay(last),
  };
}

function monthIn(from: string | undefined, month: string): string | null {
  return from === undefined || from.length < 7 ? null : `${from.slice(0, 4)}-${month}`;
}

function firstDay(text: string): string {
  return text + '-01-01'.slice(text.length === 4 ? 0 : text.length === 7 ? 3 : 6);
}

function lastDay(text: string): string {
  if (text.length === 4) return `${text}-12-31`;
  return text.length === 7 ? lastDayOf(text) : text;
}

function amountsOf(word: string): Pick<TypedFilter, 'minAmount' | 'maxAmount'> | null {
  const [isRange, from, to] = amountRange.exec(word) ?? [];
  if (isRange === undefined || (from === undefined && to === undefined)) return null;
  const [least = null, most = null] = [from?.replace(',', '.'), to?.replace(',', '.')];
  const isTurned = least !== null && most !== null && Number(least) > Number(most);
  return isTurned ? { minAmount: most, maxAmount: least } : { minAmount: least, maxAmount: most };
}
