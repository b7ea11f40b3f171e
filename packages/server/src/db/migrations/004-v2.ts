import { accounts } from './v2/accounts.ts';
import { budgets } from './v2/budgets.ts';
import { crypto } from './v2/crypto.ts';
import { files } from './v2/files.ts';
import { history } from './v2/history.ts';
import { idempotency } from './v2/idempotency.ts';
import { jobs } from './v2/jobs.ts';
import { rates } from './v2/rates.ts';
import { recurring } from './v2/recurring.ts';
import { rules } from './v2/rules.ts';
import { sync } from './v2/sync.ts';
import type { MigrationWords } from './words.ts';

/** The fourth schema: what every operation of v2 needs. */
export function v2(words: MigrationWords): string {
  return [
    rates,
    accounts,
    recurring,
    budgets,
    rules,
    files,
    crypto,
    history,
    sync,
    idempotency,
    jobs,
  ]
    .map((part) => part(words))
    .join('');
}
