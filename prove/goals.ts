/** A goal of reliability or security. */
export interface Goal {
  readonly id: string;
  /** The promise in a few words, for the table of the reference and the name of the test. */
  readonly promise: string;
  /** For a goal without a check: what is built or shown. */
  readonly unchecked?: string;
}

/** All goals, in the order of the reference. */
export const goals: readonly Goal[] = [
  {
    id: 'F1',
    promise:
      'kill -9 during writes and imports: nothing acknowledged is lost, nothing is partial, restart within 2 s',
  },
  {
    id: 'F2',
    promise: 'Power cut at any moment: nothing acknowledged is lost, nothing is partial, no damage',
  },
  {
    id: 'F3',
    promise:
      'A disk call fails: that request gets 503, the next succeeds, the file has exactly the acknowledged writes',
  },
  {
    id: 'F4',
    promise:
      'Full disk: writes get 503, reads continue; with free space writes succeed without a restart',
  },
  {
    id: 'F5',
    promise:
      '400 concurrent requests from one address: exactly 100 pass, with distinct Remaining and one Reset',
  },
  { id: 'F6', promise: 'A client that waits for Retry-After or Reset is not refused again' },
  {
    id: 'F7',
    promise:
      'A million clients in each window take at most 100 MiB, and two windows later at most 12',
  },
  {
    id: 'F8',
    promise:
      'The wall clock jumps: no wait exceeds the window, no quota returns early, headers stay correct',
  },
  {
    id: 'F9',
    promise:
      'Redis dead, paused, full or restarted: no 5xx, p99 at most 250 ms, counts shared again within 5 s',
  },
  {
    id: 'F10',
    promise:
      'Fuzzed requests: no 5xx, no crash, every response as documented, with the six headers',
  },
  {
    id: 'F11',
    promise:
      'A record of another book gets the same response as a missing one, byte for byte, in the same time',
  },
  {
    id: 'F12',
    promise:
      'Any filtered list, walked with any limit from 1 to 2000: every row once, in one order, has_more correct',
  },
  {
    id: 'F13',
    promise: 'With 20 writers, each page and its has_more show one committed state of the book',
  },
  {
    id: 'F14',
    promise:
      'Amounts are exact from import to export up to ±(2^53 − 1) ten-thousandths; larger ones are refused',
  },
  {
    id: 'F15',
    promise:
      'A write repeated with one Idempotency-Key takes effect once, with kill -9 and lost responses',
  },
  {
    id: 'F16',
    promise:
      'SIGTERM under load: no request is lost, exit code 0 within 10 s; an import is complete or absent',
  },
  {
    id: 'F17',
    promise:
      '2,000 slow connections: p99 at most twice the usual plus 50 ms; the server closes them in time',
  },
  {
    id: 'F18',
    promise:
      'A backup made under load restores completely; a killed restore leaves the old or the new database',
  },
  {
    id: 'F19',
    promise:
      'A killed migration leaves the old or the new schema, every row and a backup; newer databases are refused',
  },
  {
    id: 'F20',
    promise:
      'PostgreSQL stopped, frozen or killed: nothing is lost or doubled, 503 within 5 s, works again within 5 s',
  },
  {
    id: 'F21',
    promise:
      'Another process holds the write lock: p99 of reads at most 100 ms; writes are stored or get 503',
  },
  {
    id: 'F22',
    promise:
      'Hostile files are refused within 2 s and 100 MiB; p99 of reads rises by at most 100 ms',
  },
  {
    id: 'F23',
    promise:
      'Tokens are only stored as hashes, provider keys only encrypted; logs, errors and metrics show no record',
  },
  {
    id: 'F24',
    promise:
      'No URL in a request, in a file or in the redirect of a provider makes Coffer connect to it',
  },
  {
    id: 'F25',
    promise:
      'No cell of the CSV export becomes a formula; importing the export returns the same texts',
  },
  {
    id: 'F26',
    promise:
      'recheck finds no vulnerable regular expression; each takes at most 20 ms for 100,000 hostile characters',
  },
  {
    id: 'F27',
    promise: '30 minutes under load: memory, descriptors and the SQLite log stay bounded',
    unchecked: 'Not measured. F7 bounds the memory of the limiter, F17 finds no leaked descriptor',
  },
  {
    id: 'F28',
    promise: 'Every guard that is removed from the code makes a test fail',
    unchecked:
      'Not measured on this version. `npm run prove -- mutants` lists the changes that no test detects',
  },
  {
    id: 'F29',
    promise:
      'The client walks a list without a 429; three at one address get at most one each per window',
  },
  {
    id: 'F30',
    promise:
      'A node killed behind a proxy: nothing acknowledged is lost, only its requests in flight fail',
  },
  {
    id: 'F31',
    promise:
      'A client that polls by the greatest updated_at misses no change, even with skewed clocks',
  },
  {
    id: 'F32',
    promise:
      'An import or its undo killed at any moment is complete or absent; one file imported twice at once is there once',
  },
  {
    id: 'F33',
    promise:
      'A large import over HTTP: p99 of reads at most 100 ms; a server that ends during it leaves all of it or nothing',
  },
  {
    id: 'F34',
    promise:
      'A copy kept by the change feed alone equals the book, with reconnects at any moment and nodes killed',
  },
  {
    id: 'F35',
    promise:
      'A webhook whose receiver fails half the time, with nodes killed: every event, in order, at least once, none forged',
  },
];

/** Returns the promise of a goal. */
export function promiseOf(id: string): string {
  const goal = goals.find((each) => each.id === id);
  if (goal === undefined) throw new Error(`There is no goal ${id}`);
  return goal.promise;
}
