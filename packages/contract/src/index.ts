/*
 * The types of the wire. Constants are taken from the files that package.json names, which load no schema library.
 */
export type { Category, CategoryListResponse, ChildCategory } from './category.ts';
export type { CategoryListQuery, CategoryPath } from './category-parameters.ts';
export type { ErrorBody, ErrorDetail } from './error-body.ts';
export type { Me } from './me.ts';
export type { Operation } from './operations.ts';
export type {
  ChildTransaction,
  Transaction,
  TransactionAttachment,
  TransactionListResponse,
} from './transaction.ts';
export type { TransactionListQuery, TransactionPath } from './transaction-parameters.ts';
