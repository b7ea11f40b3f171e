/** The promise of each goal of reliability or security in a few words, in the order of the reference. */
const promises: Readonly<Record<string, string>> = {
  F1: 'kill -9 during writes and imports: nothing acknowledged is lost, nothing is partial, restart within 2 s',
  F2: 'Power cut at any moment: nothing acknowledged is lost, nothing is partial, no damage',
  F3: 'A disk call fails: that request gets 503, the next succeeds, the file has exactly the acknowledged writes',
  F4: 'Full disk: writes get 503, reads continue; with free space writes succeed without a restart',
  F5: '400 concurrent requests from one address: exactly 100 pass, with distinct Remaining and one Reset',
  F6: 'A client that waits for Retry-After or Reset is not refused again',
  F7: 'A million new clients in each window take at most 128 MiB, and no request of others is refused too early',
  F8: 'The wall clock jumps: no wait exceeds the window, no quota returns early, headers stay correct',
  F9: 'Redis dead, paused, full or restarted: no 5xx, p99 at most 250 ms, counts shared again within 5 s',
  F10: 'Fuzzed requests: no 5xx, no crash, every response as documented, with the six headers',
  F11: 'A record of another book gets the same response as a missing one, byte for byte, in the same time',
  F12: 'Any filtered list, walked with any limit from 1 to 2000: every row once, in one order, has_more correct',
  F13: 'With 20 writers, each page and its has_more show one committed state of the book',
  F14: 'Amounts are exact from import to export up to ±(2^53 − 1) ten-thousandths; larger ones are refused',
  F15: 'A write repeated with one Idempotency-Key takes effect once, with kill -9 and lost responses',
  F16: 'SIGTERM under load: no request is lost, exit code 0 within 10 s; an import is complete or absent',
  F17: '2,000 slow connections: p99 at most twice the usual plus 50 ms; the server closes them in time',
  F18: 'A backup made under load restores completely; a killed restore leaves the old or the new database',
  F19: 'A killed migration leaves the old or the new schema, every row and a backup; databases of other versions are refused',
  F20: 'PostgreSQL stopped, frozen or killed: nothing is lost or doubled, 503 within 5 s, works again within 5 s',
  F21: 'Another process holds the write lock: p99 of reads at most 100 ms; writes wait and are stored',
  F22: 'Hostile files are refused within 2 s and 100 MiB; p99 of reads rises by at most 100 ms',
  F23: 'Tokens are only stored as hashes, provider keys only encrypted; logs, errors and metrics show no record',
  F24: 'No URL in a request, in a file or in the redirect of a provider makes Coffer connect to it',
  F25: 'No cell of the CSV export becomes a formula; importing the export returns the same texts',
  F26: 'recheck finds no vulnerable regular expression; each takes at most 20 ms for 100,000 hostile characters',
  F27: '30 minutes under load: memory, descriptors and the SQLite log stay bounded',
  F28: 'Every guard that is removed from the code makes a test fail',
  F29: 'The client walks a list without a 429; three at one address get at most one each per window',
  F30: 'A node killed behind a proxy: nothing acknowledged is lost, only its requests in flight fail',
  F31: 'A client that polls by the greatest updated_at misses no change, even with skewed clocks',
  F32: 'An import or its undo killed at any moment is complete or absent; one file imported twice at once is there once',
  F33: 'A large import over HTTP: p99 of reads at most 100 ms; a server that ends during it leaves all of it or nothing',
  F34: 'A copy kept by the change feed alone equals the book, with reconnects at any moment and nodes killed',
  F35: 'A webhook whose receiver fails half the time, with nodes killed: every event, in order, at least once, none forged',
  F36: 'Histories of imports with undo, redo, two at once and kills: the book equals a model, nothing is partial or double',
};

const unchecked: Readonly<Record<string, string>> = {
  F27: 'Not measured. F7 bounds the memory of the limiter, F17 finds no leaked descriptor',
  F28: 'Not measured on this version. `npm run prove -- mutants` lists the changes that no test detects',
};

export interface Goal {
  readonly id: string;
  readonly promise: string;
  /** For a goal without a check: what is built or shown. */
  readonly unchecked: string | undefined;
}

export const goals: readonly Goal[] = Object.entries(promises).map(([id, promise]) => {
  return { id, promise, unchecked: unchecked[id] };
});
