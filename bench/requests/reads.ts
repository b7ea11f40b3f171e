import { perRequest } from '../measure/turns.ts';
import type { Measure } from '../measure/turns.ts';
import type { Subject } from './checkout.ts';

/** The offset of a page near the end of a book of 100,000 rows. */
const deep = 90_000;
const years = Array.from({ length: 10 }, (_, index) => 2016 + index);
const searches = 40;

/** A page of 1,000 transactions at offset 0. */
export const page = '/v2/transactions?limit=1000';

/** A page of version 1, which lists one month unless dates are sent. */
export const pageOfV1 = '/v1/transactions?limit=1000&start_date=2016-01-01&end_date=2025-12-31';

/** The measures of requests that read. No search is sent twice, so that no total is remembered. */
export function readMeasures(subject: Subject): Record<string, Measure> {
  const of = (requests: number, ...paths: string[]): Measure =>
    perRequest({ ...subject, paths, requests });
  let searched = 0;
  return {
    'list of 1': of(600, '/v2/transactions?limit=1'),
    'list of 100': of(500, '/v2/transactions?limit=100'),
    me: of(1000, '/v2/me'),
    'page at 0': of(200, page),
    'page of v1 at 0': of(100, pageOfV1),
    'page of v1 at 90,000': of(100, `${pageOfV1}&offset=${deep}`),
    'summary of a year': of(
      50,
      ...years.map((year) => `/v2/summary?start_date=${year}-01-01&end_date=${year}-12-31`),
    ),
    search: () => {
      const paths = Array.from({ length: searches }, () => searchFor((searched += 1)));
      return perRequest({ ...subject, paths, requests: searches })();
    },
  };
}

const words = ['bakery', 'hardware', 'grocer', 'transit', 'light', 'bookshop', 'pharmacy', 'fuel'];

/** A word of a tenth of the payees, with a number of one payee in 500. */
function searchFor(index: number): string {
  const [word, number] = [words[index % words.length], Math.floor(index / words.length) % 500];
  return `/coffer/transactions?limit=100&q=${word}+${number}`;
}
