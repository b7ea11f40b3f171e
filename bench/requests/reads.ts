import { frequentWords } from '../measure/book.ts';
import { cpuOf } from '../measure/child.ts';
import { overHttp, writesOf } from '../measure/requests.ts';
import { perRequest, type Measure } from '../measure/turns.ts';
import type { Subject } from './checkout.ts';

const deep = 90_000;
const years = Array.from({ length: 10 }, (_, index) => 2016 + index);
const searches = 40;
const many = 500;
const bulks = 6;
const singles = 100;

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

function searchFor(index: number): string {
  const word = frequentWords[index % frequentWords.length];
  const number = Math.floor(index / frequentWords.length) % 500;
  return `/coffer/transactions?limit=100&q=${word}+${number}`;
}

/** The measures of requests that write: inserts of one and of 500, and an update of 500. They leave the same rows. */
export async function writeMeasures({ server, token }: Subject): Promise<Record<string, Measure>> {
  const { insert, update, remove } = await writesOf(overHttp(server.port, token));
  const mean = async (times: number, work: () => Promise<unknown>): Promise<number> =>
    (await cpuOf(server, async () => {
      for (let time = 0; time < times; time += 1) await work();
    })) / times;
  const dated = (at: number) => ({ date: `2025-12-${10 + (at % 19)}` });
  let note = 0;
  return {
    'insert of 1': async () => {
      const ids: number[] = [];
      const ms = await mean(singles, async () => ids.push(...(await insert(1, dated))));
      await remove(ids);
      return ms;
    },
    'insert of 500': async () => {
      const inserted: number[][] = [];
      const ms = await mean(bulks, async () => inserted.push(await insert(many, dated)));
      for (const ids of inserted) await remove(ids);
      return ms;
    },
    'update of 500': async () => {
      const ids = await insert(many, dated);
      const ms = await mean(bulks, () => {
        note += 1;
        return update(ids, (at) => ({ amount: at, notes: `Note ${note} ${at}` }));
      });
      await remove(ids);
      return ms;
    },
  };
}
