import type { PrivateTargets } from '../../outside/guarded-request.ts';
import { connectionCredentials, sealCredentials } from '../../outside/credentials.ts';
import type { BankProvider, BankReading, DayRange } from './rules.ts';
import { claimAccess, readSimplefin } from './simplefin.ts';

/** One connection to read. */
export interface BankRequest {
  readonly bookId: number;
  readonly provider: BankProvider;
  readonly sealedCredentials: Uint8Array;
  readonly range: DayRange;
}

/** Whether users can add connections by requests; otherwise what the operator has not set. */
export type BankSetup = 'on' | 'off' | 'no_key';

/** Reads accounts and transactions from banks. */
export interface BankReader {
  readonly setup: BankSetup;
  /** Exchanges a setup token of a user for sealed credentials. Rejects with CryptoRefreshError. */
  claim(bookId: number, setupToken: string): Promise<Uint8Array>;
  /** Reads one connection. Rejects with CryptoRefreshError, which contains no secret. */
  read(request: BankRequest): Promise<BankReading>;
}

/** The settings of a reader. */
export interface BankReaderOptions {
  /** 32 bytes that seal credentials; null when none was set. */
  readonly encryptionKey: Uint8Array | null;
  /** Whether users may add connections; false by default. */
  readonly isSetupAllowed?: boolean;
  /** Private networks that the name of a bridge may lead to; none by default. */
  readonly privateTargets?: PrivateTargets;
  /** Milliseconds since 1970; the system's clock by default. */
  readonly now?: () => number;
  /** 30,000 by default: a bridge asks several banks. */
  readonly timeoutMs?: number;
}

const defaultTimeoutMs = 30_000;

/** Creates a reader. */
export function createBankReader(options: BankReaderOptions): BankReader {
  const { encryptionKey, privateTargets, now = Date.now, timeoutMs = defaultTimeoutMs } = options;
  return {
    setup: options.isSetupAllowed !== true ? 'off' : encryptionKey === null ? 'no_key' : 'on',
    async claim(bookId, setupToken) {
      const signal = AbortSignal.timeout(timeoutMs);
      const accessUrl = await claimAccess(setupToken, { signal, privateTargets, isOfUser: true });
      return sealCredentials(encryptionKey!, bookId, { provider: 'simplefin', accessUrl });
    },
    async read({ bookId, provider, sealedCredentials, range }) {
      const { accessUrl } = connectionCredentials(
        encryptionKey,
        bookId,
        provider,
        sealedCredentials,
      );
      const signal = AbortSignal.timeout(timeoutMs);
      return await readSimplefin({ accessUrl, range, nowMs: now(), signal, privateTargets });
    },
  };
}
