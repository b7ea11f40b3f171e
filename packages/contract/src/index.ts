export { Category, CategoryListResponse, ChildCategory } from './category.ts';
export { CategoryListQuery, CategoryPath, categoryFormats } from './category-parameters.ts';
export { components } from './components.ts';
export { currencies, currencyCodes, isCurrencyCode, type CurrencyCode } from './currencies.ts';
export { ErrorBody, ErrorDetail } from './error-body.ts';
export { errorTable, recordNotFound, type ErrorEntry, type ErrorKind } from './errors.ts';
export { headers, rateLimitHeaders, type Header, type HeaderName } from './headers.ts';
export * from './limits.ts';
export { Me } from './me.ts';
export { openApiDocument } from './openapi.ts';
export { operations, tags, type Operation, type TagName } from './operations.ts';
export {
  ChildTransaction,
  Transaction,
  TransactionAttachment,
  TransactionListResponse,
  transactionSources,
  transactionStatuses,
} from './transaction.ts';
export { TransactionListQuery, TransactionPath } from './transaction-parameters.ts';
