import type { BankProvider, BankReading, DayRange } from './rules.ts';
import { CryptoRefreshError } from '../../outside/provider-error.ts';
import type { PrivateTargets } from '../../outside/guarded-request.ts';

/** One connection to read. */
export interface BankRequest {
  readonly bookId: number;
  readonly provider: BankProvider;
  readonly sealedCredentials: Uint8Array;
  readonly range: DayRange;
}

/** Reads accounts and transactions from banks. */
export interface BankReader {
  /** Reads one connection. Rejects with CryptoRefreshError, which contains no secret. */
  read(request: BankRequest): Promise<BankReading>;
}

/** The settings of a reader. */
export interface BankReaderOptions {
  /** 32 bytes that seal credentials; null when none was set. */
  readonly encryptionKey: Uint8Array | null;
  /** Private networks that the name of a bridge may lead to; none by default. */
  readonly privateTargets?: PrivateTargets;
  /** Milliseconds since 1970; the system's clock by default. */
  readonly now?: () => number;
  /** 30,000 by default: a bridge asks several banks. */
  readonly timeoutMs?: number;
}

const defaultTimeoutMs = 30_000;

/** Creates a reader. It loads the code of a bridge when it first reads from it. */
export function createBankReader(options: BankReaderOptions): BankReader {
  const { encryptionKey, privateTargets, now = Date.now, timeoutMs = defaultTimeoutMs } = options;
  return {
    async read({ bookId, provider, sealedCredentials, range }) {
      if (encryptionKey === null)
        throw new CryptoRefreshError(
          'unconfigured',
          'This service has no encryption key: set ENCRYPTION_KEY',
        );
      const { openCredentials } = await import('../../outside/sealed-credentials.ts');
      const { readSimplefin } = await import('./simplefin.ts');
      const { accessUrl } = opened(() =>
        openCredentials(encryptionKey, bookId, provider, sealedCredentials),
      );
      const signal = AbortSignal.timeout(timeoutMs);
      return readSimplefin({ accessUrl, range, nowMs: now(), signal, privateTargets });
    },
  };
}

function opened<T>(open: () => T): T {
  try {
    return open();
  } catch (error) {
    throw new CryptoRefreshError('unconfigured', (error as Error).message);
  }
}
