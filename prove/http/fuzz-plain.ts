import fc, { type Arbitrary } from 'fast-check';
import { makeDemoBook } from '../../packages/server/src/demo/make-demo-book.ts';
import {
  catalogue,
  goodRequest,
  targetOf,
  type Records,
} from '../../packages/server/src/resources/testing/catalogue.ts';
import type { Operation } from './api-document.ts';

export const fuzzedTransactions = 100;

export interface PlainRequest {
  readonly method: string;
  readonly target: string;
  readonly body: string | undefined;
}

const { transactions, rules = [] } = makeDemoBook({ transactions: fuzzedTransactions });
/** The first split transaction of the demo book: an unknown id gets a 400 there. */
const splitId = transactions.findIndex(({ isSplitParent }) => isSplitParent) + 1;
/** The rules of the demo book, and the first that a request creates. */
const ruleIds = [...rules.keys(), rules.length].map((n) => n + 1);
/** No provider is called for a known cryptocurrency. */
const known = 'https://www.coingecko.com/en/coins/ethereum';

let count = 0;

const missing = 87_654_321;

/** The demo book: it has the first ids. Its crypto accounts cannot be read, and its first versions not be undone. */
const records: Records = {
  own: (kind) => {
    if (kind === 'split') return splitId;
    return kind === 'crypto' ? missing : 1 + ((count += 1) % 12);
  },
  link: () => 2,
  fresh: (text) => (text.startsWith('https:') ? known : `${text} ${(count += 1)}`),
  version: () => missing,
  rules: () => ruleIds,
  prepared: (request) => request,
};

const requests = new Map<string, PlainRequest[]>();
for (const { method, declaration } of catalogue) {
  const made: PlainRequest[] = [];
  for (let n = 0; n < 5; n += 1) {
    // The amounts of an example are those of no transaction here.
    const isSplit = declaration.id === 'splitTransaction';
    const choice = isSplit ? { at: { place: 'path id', id: missing } } : {};
    const request = await goodRequest(declaration.id, records, choice);
    const body = request.body === undefined ? undefined : JSON.stringify(request.body);
    made.push({ method, target: targetOf(request), body });
  }
  requests.set(`${method} ${declaration.path}`, made);
}

export function plainRequest({ method, path }: Operation): Arbitrary<PlainRequest> {
  return fc.constantFrom(...requests.get(`${method} ${path}`)!);
}
