import type { CryptoReader } from '../connectors/reader.ts';
import { sharedComponents } from '../wire/components.ts';
import type { Operation } from './operation.ts';
import { CategoryDependents, CategoryInsert, CategoryUpdate } from './categories/requests.ts';
import { categoryRoutes } from './categories/routes.ts';
import { Category, CategoryListResponse, ChildCategory } from './categories/schema.ts';
import { cryptoRoutes } from './crypto/routes.ts';
import { SyncedCryptoAccount, SyncedCryptoBalance } from './crypto/schema.ts';
import { SyncedCryptoListResponse } from './crypto/schema.ts';
import { meRoutes } from './me/routes.ts';
import { Me } from './me/schema.ts';
import { tagRoutes } from './tags/routes.ts';
import { Tag, TagDependents, TagInsert, TagList, TagUpdate } from './tags/schema.ts';
import { transactionRoutes } from './transactions/routes.ts';
import { ChildTransaction, Transaction, TransactionAttachment } from './transactions/schema.ts';
import { TransactionListResponse } from './transactions/schema.ts';

/** Returns every operation of the API, in the order of the document. */
export function operations(cryptoReader: CryptoReader): readonly Operation[] {
  return [
    ...transactionRoutes,
    ...categoryRoutes,
    ...tagRoutes,
    ...cryptoRoutes(cryptoReader),
    ...meRoutes,
  ];
}

/** The schemas of the document's `components.schemas`, by the name that references use. */
export const components = {
  ...{ TransactionListResponse, Transaction, ChildTransaction, TransactionAttachment },
  ...{ CategoryListResponse, Category, ChildCategory },
  ...{ CategoryInsert, CategoryUpdate, CategoryDependents },
  ...{ TagListResponse: TagList, Tag, TagInsert, TagUpdate, TagDependents },
  ...{ SyncedCryptoListResponse, SyncedCryptoAccount, SyncedCryptoBalance },
  Me,
  ...sharedComponents,
} as const;

/** What the document is built from; it needs no provider. */
export const described = {
  operations: operations({
    read: () => Promise.reject(new Error('The document needs no provider')),
  }),
  components,
};
