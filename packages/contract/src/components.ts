import type { TSchema } from 'typebox';
import { Category, CategoryListResponse, ChildCategory } from './category.ts';
import { SyncedCryptoAccount, SyncedCryptoBalance, SyncedCryptoListResponse } from './crypto.ts';
import { ErrorBody, ErrorDetail } from './error-body.ts';
import { Currency } from './formats.ts';
import { Me } from './me.ts';
import {
  ChildTransaction,
  Transaction,
  TransactionAttachment,
  TransactionListResponse,
} from './transaction.ts';

/** Every schema of the document's `components.schemas`, by the name that references use. */
export const components = {
  TransactionListResponse,
  Transaction,
  ChildTransaction,
  TransactionAttachment,
  CategoryListResponse,
  Category,
  ChildCategory,
  SyncedCryptoListResponse,
  SyncedCryptoAccount,
  SyncedCryptoBalance,
  Me,
  Currency,
  ErrorBody,
  ErrorDetail,
} as const satisfies Record<string, TSchema>;
