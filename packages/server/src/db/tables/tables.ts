import type { Table } from '../table.ts';
import * as ofAccounts from './accounts.ts';
import * as ofImports from './imports.ts';
import * as ofServer from './server.ts';
import * as ofTransactions from './transactions.ts';

export * from './accounts.ts';
export * from './imports.ts';
export * from './server.ts';
export * from './transactions.ts';

/*
 * Every table of the database. A test compares the descriptions with the catalogs of both engines. Times are ISO 8601
 * text in UTC with milliseconds. Amounts are integer ten-thousandths.
 */

/** The tables of a book's records. A table comes after those that it refers to. */
export const bookTables: readonly Table<'book'>[] = [
  ofAccounts.connections,
  ofAccounts.manualAccounts,
  ofAccounts.plaidAccounts,
  ofAccounts.balanceAnchors,
  ofTransactions.categories,
  ofTransactions.tags,
  ofTransactions.recurringItems,
  ofTransactions.transactions,
  ofTransactions.transactionFiles,
  ofTransactions.transfers,
  ofTransactions.budgets,
  ofTransactions.budgetSettings,
  ofTransactions.categorySettings,
  ofTransactions.rules,
  ofAccounts.cryptoAccounts,
  ofAccounts.cryptoBalances,
  ofAccounts.manualCryptoAccounts,
  ofAccounts.deletedAccounts,
  ofAccounts.balanceHistory,
  ofTransactions.bookSettings,
  ofImports.importForms,
  ofImports.accountNumbers,
];

/** The tables whose records are shown: those of the others only help imports. */
export const shownTables = bookTables.filter(({ isInternal }) => !isInternal);

/** Tables that hold no records of a book, besides those above. A move copies them. */
export const serverTables: readonly Table<'server'>[] = [
  ofServer.exchangeRates,
  ofServer.rerates,
  ofTransactions.storedFiles,
  ofAccounts.cryptocurrencies,
  ofAccounts.cryptocurrencyPrices,
  ofAccounts.recordedMonths,
  ofAccounts.syncRequests,
  ofServer.idempotencyKeys,
  ofImports.imports,
  ofImports.importSettings,
  ofImports.importOrigins,
  ofImports.importPreviews,
  ofImports.importPreviewBlocks,
  ofImports.importPreviewEntries,
  ofImports.importPreviewRows,
  ofServer.jobRuns,
  ofServer.backupResults,
  ofServer.webhooks,
  ofServer.webhookAttempts,
  ofServer.sessions,
  ofServer.signInLinks,
  ofServer.passwords,
  ofServer.passkeys,
  ofServer.passkeyChallenges,
  ofServer.signInFailures,
];
