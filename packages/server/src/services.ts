import type { ChangeWatch } from './book/watch.ts';
import { noFileStore, type FileStore } from './files/store.ts';
import { noImportService, type ImportService } from './imports/operations/import-service.ts';
import type { BankReader } from './sync/banks/bank-reader.ts';
import type { CryptoReader } from './sync/crypto/reader.ts';
import type { AssetSource } from './sync/prices/asset-source.ts';
import type { WebhookSender } from './webhooks/webhook-sender.ts';

/** What operations use besides the database. */
export interface Services {
  /** Reads synced crypto accounts from their providers. */
  readonly cryptoReader: CryptoReader;
  /** Reads accounts and transactions from banks. */
  readonly bankReader: BankReader;
  /** Keeps the bytes of attached files. */
  readonly files: FileStore;
  /** Reads files of banks, and imports them. */
  readonly imports: ImportService;
  /** Finds crypto assets and their prices. */
  readonly assetSource: AssetSource;
  /** Signs and sends messages to receivers of webhooks. */
  readonly webhookSender: WebhookSender;
  /** The time between two backups; null if the server makes none. */
  readonly backupEveryMs: number | null;
  /** The hosts from which exchange rates and prices of crypto are read; null for none. */
  readonly sources: Readonly<Record<'rates' | 'prices', string | null>>;
  /** Waits for changes of books. */
  readonly watch: ChangeWatch;
}

const noProvider = (): Promise<never> => Promise.reject(new Error('There is no provider'));

/** Services for a reader that performs no operation, such as the document. */
export const noServices: Services = {
  bankReader: { setup: 'off', claim: noProvider, read: noProvider },
  cryptoReader: { read: noProvider },
  assetSource: { find: noProvider, prices: noProvider },
  files: noFileStore,
  backupEveryMs: null,
  sources: { rates: null, prices: null },
  imports: noImportService,
  webhookSender: {
    urlProblem: () => null,
    newSecret: () => Promise.resolve(null),
    send: noProvider,
  },
  watch: {
    isStopped: false,
    nowMs: () => 0,
    poke: () => undefined,
    stop: () => undefined,
    wait: () => Promise.resolve('late'),
  },
};
