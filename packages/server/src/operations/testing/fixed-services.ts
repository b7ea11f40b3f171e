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
          coingecko_id: null,
          to_base: null,
          price_as_of: null,
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
            remote_id: 'A',
            name: 'Checking',
            institution_name: 'Bank',
            type: 'depository',
            currency: 'usd',
            balance: 10_000,
            balanceAt: nowIso,
            mask: '12',
            entries: [1, 2].map((n) => ({
              remote_id: `${n}`,
              date: '2025-12-30',
              amount: n,
              payee: 'P',
              notes: null,
              is_pending: false,
              plaid_metadata: '{}',
            })),
          },
        ],
      }),
  },
  assetSource: {
    find: (coingecko_id) => Promise.resolve({ coingecko_id, symbol: 'new', name: 'New' }),
    prices: (ids) =>
      Promise.resolve(ids.map((id) => ({ coingecko_id: id, price: '2', as_of: nowIso }))),
  },
  imports: createImportService(null, { error: () => undefined }),
  webhookSender: fixedSender,
  files: {
    ...noServices.files,
    write: () => Promise.resolve(),
    remove: () => Promise.resolve(),
  },
};
