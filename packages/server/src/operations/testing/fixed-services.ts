import { createImportService } from '../../imports/previews/service.ts';
import { noServices, type Services } from '../../services.ts';

const nowIso = '2026-01-01T00:00:00.000Z';

const fixedSender: Services['webhookSender'] = {
  urlProblem: () => null,
  newSecret: () => Promise.resolve({ secret: 'whsec_AAAA', sealed: Buffer.of(1) }),
  send: () => Promise.resolve({ status: 204, error: null, retryAfterMs: null, durationMs: 1 }),
};

/** Services that return the same to every request, and keep no files. */
export const fixedServices: Services = {
  backupEveryMs: 86_400_000,
  sources: { rates: 'rates.example', prices: null },
  watch: noServices.watch,
  cryptoReader: {
    read: () =>
      Promise.resolve({
        readAtIso: nowIso,
        balances: ['a', 'b'].map((symbol) => ({
          symbol,
          name: symbol,
          quantity: '1.000000000000000000',
          coingeckoId: null,
          toBase: null,
          priceAsOfIso: null,
        })),
      }),
  },
  bankReader: {
    setup: 'on',
    claim: () => Promise.resolve(Buffer.of(1)),
    read: () =>
      Promise.resolve({
        readAt: nowIso,
        problems: ['Log in again'],
        accounts: [
          {
            remoteId: 'A',
            name: 'Checking',
            institution: 'Bank',
            type: 'depository',
            currency: 'usd',
            balance: 10_000,
            balanceAt: nowIso,
            mask: '12',
            entries: [1, 2].map((n) => ({
              remoteId: `${n}`,
              date: '2025-12-30',
              amount: n,
              payee: 'P',
              notes: null,
              isPending: false,
              metadata: '{}',
            })),
          },
        ],
      }),
  },
  assetSource: {
    find: (coingeckoId) => Promise.resolve({ coingeckoId, symbol: 'new', name: 'New' }),
    prices: (ids) =>
      Promise.resolve(ids.map((id) => ({ coingeckoId: id, price: '2', asOfIso: nowIso }))),
  },
  imports: createImportService(null, { error: () => undefined }),
  webhookSender: fixedSender,
  files: {
    ...noServices.files,
    write: () => Promise.resolve(),
    remove: () => Promise.resolve(),
  },
};
