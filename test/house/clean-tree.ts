export const SERVER = 'packages/server/src';

/** Files of `packages`, each with its imports, which may continue on an indented line. */
const tree = `
core/src/index.ts node:util
core/src/index.test.ts ./index.ts fast-check
statements/src/index.ts node:zlib @coffer/core
statements/src/index.test.ts node:fs ./index.ts fast-check
server/src/operations/schema.ts typebox node:crypto @coffer/core
server/src/operations/request/request-reader.ts ajv ../schema.ts
server/src/operations/operation.ts ./schema.ts ../book/changing.ts ../pages/pages.ts
server/src/db/engine.ts sql-template-tag
server/src/db/tables/tables.ts @coffer/core
server/src/db/writes.ts ./engine.ts
server/src/db/sqlite/sqlite.ts better-sqlite3 ../engine.ts node:fs
server/src/db/postgres/postgres.ts pg pg-copy-streams ../engine.ts
server/src/db/sqlite/sqlite.test.ts ./sqlite.ts ../testing/books.ts fast-check
server/src/db/testing/books.ts ../../main.ts fast-check
server/src/limiter/limiter.ts node:net
server/src/limiter/redis.ts ioredis ./limiter.ts
server/src/outside/fetch.ts node:https @coffer/core
server/src/files/store.ts node:crypto @coffer/core
server/src/pages/pages.ts sql-template-tag ../db/engine.ts @coffer/core
server/src/book/changing.ts sql-template-tag ../db/engine.ts ../db/writes.ts
server/src/jobs/scheduler.ts ../book/changing.ts ../db/engine.ts
server/src/identity/users/actions.ts ../../book/changing.ts ../../operations/schema.ts
server/src/identity/users/token.ts node:crypto
server/src/identity/passkeys/verification.ts @simplewebauthn/server
server/src/ledger/currencies/actions.ts ../../book/changing.ts ../../outside/fetch.ts
server/src/ledger/accounts/actions.ts ../currencies/actions.ts ../../identity/users/actions.ts
server/src/ledger/categories/actions.ts ../accounts/actions.ts
server/src/ledger/tags/schema.ts typebox ../../operations/schema.ts
server/src/ledger/tags/rules.ts ./schema.ts ../../db/tables/tables.ts ../../operations/schema.ts
  @coffer/core
server/src/ledger/tags/actions.ts sql-template-tag ./rules.ts ../../db/engine.ts
  ../../book/changing.ts
server/src/ledger/tags/routes.ts ./actions.ts ./schema.ts ../../operations/operation.ts
  ../../identity/users/actions.ts ../../pages/pages.ts ../../files/store.ts
server/src/ledger/recurring/actions.ts ../tags/actions.ts
server/src/ledger/rules/actions.ts ../recurring/actions.ts
server/src/ledger/transactions/actions.ts ../rules/actions.ts ../accounts/actions.ts
server/src/ledger/budgets/actions.ts ../transactions/actions.ts
server/src/ledger/summary/actions.ts ../budgets/actions.ts
server/src/ledger/balance-history/actions.ts ../accounts/actions.ts
server/src/ledger/merge.ts ./balance-history/actions.ts ./summary/actions.ts
server/src/maintenance/backup.ts better-sqlite3 ../db/writes.ts node:fs ../ledger/merge.ts
server/src/sync/kraken.ts node:https @noble/hashes/sha3.js ../ledger/merge.ts
  ../outside/fetch.ts
server/src/history/undo/routes.ts ../../ledger/tags/actions.ts ../../sync/kraken.ts
server/src/imports/commit.ts sql-template-tag ../ledger/tags/actions.ts ../history/undo/routes.ts
  ../book/changing.ts ../db/engine.ts ../operations/schema.ts @coffer/statements
server/src/exports/routes.ts ../imports/commit.ts ../history/undo/routes.ts
server/src/webhooks/sender.ts standardwebhooks ../exports/routes.ts
server/src/v1/tags.ts typebox ../ledger/tags/routes.ts ../webhooks/sender.ts
server/src/services.ts ./webhooks/sender.ts
server/src/stored-times-job.ts ./webhooks/sender.ts
server/src/all-jobs.ts ./jobs/scheduler.ts ./stored-times-job.ts ./services.ts
server/src/all.ts ./ledger/tags/routes.ts ./v1/tags.ts
server/src/demo/fill.ts ../ledger/tags/actions.ts ../book/changing.ts
server/src/http/app.ts fastify @scalar/fastify-api-reference prom-client
  ../operations/schema.ts ../db/engine.ts ../limiter/limiter.ts @coffer/core
server/src/http/run.ts typebox ../pages/pages.ts
server/src/http/app.test.ts ./app.ts ../db/sqlite/sqlite.ts @lunch-money/v2-api-spec
server/src/config.ts node:fs @coffer/core
server/src/main.ts ./config.ts ./http/app.ts ./limiter/redis.ts ./all.ts
  ./db/sqlite/sqlite.ts ./db/postgres/postgres.ts ./sync/kraken.ts ./imports/commit.ts
  ./all-jobs.ts ./maintenance/backup.ts ./demo/fill.ts
client/src/index.ts
client/src/index.test.ts node:http ./index.ts
client/build/types.ts node:fs openapi-typescript
cli/src/main.ts commander cli-progress @coffer/server/src/main.ts
  @coffer/server/src/imports/commit.ts @coffer/core @coffer/statements @coffer/client
client/src/sending/openapi-types.ts
web/src/main.tsx react @tanstack/react-query ./shell/app.tsx
web/src/books/money.ts @coffer/core
web/src/books/money.test.ts node:test fast-check ./money.ts
web/src/texts/plural.ts
web/src/api/request.ts react @tanstack/react-query ../books/money.ts
  ../../../client/src/sending/openapi-types.ts
web/src/parts/money.tsx react ../books/money.ts ../texts/plural.ts
web/src/screens/list.tsx react @tanstack/react-query wouter
  ../api/request.ts ../parts/money.tsx
web/src/shell/app.tsx ../screens/list.tsx wouter
`;

/** A small tree that keeps every rule: each file with its imports. */
export const CLEAN: Readonly<Record<string, string[]>> = Object.fromEntries(
  tree
    .trim()
    .split(/\n(?! )/)
    .map((lines): [string, string[]] => {
      const [file = '', ...imports] = lines.split(/\s+/);
      return [`packages/${file}`, imports];
    }),
);
