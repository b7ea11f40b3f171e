import { toInstant } from '@coffer/core/dates';
import { formatAmount, maxAmount } from '@coffer/core/money';
import { nameKey, shorten } from '@coffer/core/text';
import type { Row } from '../../db/table.ts';
import type { manualAccounts } from '../../db/tables/tables.ts';
import { parseAmountInput } from '../../operations/amounts.ts';
import { maxCustomMetadataLength } from '../../operations/limits.ts';
import type { ErrorDetail } from '../../operations/problem.ts';
import { wireNumber } from '../../operations/schema.ts';
import type { ManualAccount, ManualAccountUpdate } from './schema.ts';

type AccountRow = Row<typeof manualAccounts>;

/** Returns a manual account as in a response. */
export function toWire(row: AccountRow): ManualAccount {
  const { custom_metadata: metadata } = row;
  return {
    id: row.id,
    name: row.name,
    institution_name: row.institution_name,
    display_name: row.display_name,
    type: row.type as ManualAccount['type'],
    subtype: row.subtype,
    balance: formatAmount(row.balance),
    currency: row.currency,
    to_base: wireNumber(row.to_base),
    balance_as_of: row.balance_as_of,
    status: row.status as ManualAccount['status'],
    closed_on: row.closed_on,
    external_id: row.external_id,
    custom_metadata: metadata === null ? null : (JSON.parse(metadata) as Record<string, unknown>),
    exclude_from_transactions: row.exclude_from_transactions,
    created_by_name: row.created_by_name,
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}

/** The names of an account. */
export type AccountNames = Pick<AccountRow, 'name' | 'institution_name' | 'display_name'>;

/** Returns the name that an account is shown by: its `display_name`, or institution and name. */
export function shownName({ name, institution_name, display_name }: AccountNames): string {
  return display_name ?? (institution_name === null ? name : `${institution_name} ${name}`);
}

/** Returns the problem of an account that would be shown by the same name as another one, ignoring letter case. */
export function nameProblems(own: AccountNames, others: readonly AccountRow[]): ErrorDetail[] {
  const key = nameKey(shownName(own));
  const other = others.find((each) => nameKey(shownName(each)) === key);
  if (other === undefined) return [];
  const existing = { existing_manual_account_id: other.id, existing_name: other.name };
  const names = { ...existing, requested_name: own.name };
  if (own.display_name !== null)
    return [
      {
        errMsg: `A manual account with the same display_name '${shorten(own.display_name)}' already exists`,
        instancePath: '/body/display_name',
        ...names,
        requested_display_name: own.display_name,
        existing_display_name: shownName(other),
      },
    ];
  const errMsg =
    `A manual account that is shown by the same name '${shorten(shownName(own))}', made of institution_name ` +
    'and name, already exists';
  const institutions = {
    requested_institution_name: own.institution_name,
    existing_institution_name: other.institution_name,
  };
  return [{ errMsg, instancePath: '/body/name', ...names, ...institutions }];
}

/** Returns the status and the day of closing after a write, or the problem of a day without the status `closed`. */
export function closingOf(
  before: Pick<AccountRow, 'status' | 'closed_on'>,
  body: Pick<ManualAccountUpdate, 'status' | 'closed_on'>,
  today: string,
): {
  readonly columns: Pick<AccountRow, 'status' | 'closed_on'>;
  readonly problems: ErrorDetail[];
} {
  const status = body.status ?? before.status;
  const day = typeof body.closed_on === 'string' ? toInstant(body.closed_on)!.slice(0, 10) : null;
  if (status === 'closed')
    return { columns: { status, closed_on: day ?? before.closed_on ?? today }, problems: [] };
  const problem = {
    errMsg: `Body property closed_on "${day}" needs the status "closed"`,
    instancePath: '/body/closed_on',
    invalid_property: 'closed_on',
    closed_on: body.closed_on,
  };
  return { columns: { status, closed_on: null }, problems: day === null ? [] : [problem] };
}

/** Returns the problems of single values that no schema can express. */
export function valueProblems({
  balance,
  custom_metadata: metadata,
}: Pick<ManualAccountUpdate, 'balance' | 'custom_metadata'>): ErrorDetail[] {
  const problems: ErrorDetail[] = [];
  if (balance !== undefined && parseAmountInput(balance) === null)
    problems.push({
      errMsg: `Body property balance must be at most ${formatAmount(maxAmount)}, not "${shorten(String(balance))}"`,
      instancePath: '/body/balance',
      invalid_property: 'balance',
    });
  const { length } = JSON.stringify(metadata ?? null);
  if (length > maxCustomMetadataLength)
    problems.push({
      errMsg:
        `Body property custom_metadata must have at most ${maxCustomMetadataLength} characters as JSON, ` +
        `not ${length}`,
      instancePath: '/body/custom_metadata',
      invalid_property: 'custom_metadata',
    });
  return problems;
}

const updatable = [
  'name',
  'institution_name',
  'display_name',
  'type',
  'subtype',
  'balance',
  'balance_as_of',
  'currency',
  'status',
  'closed_on',
  'external_id',
  'custom_metadata',
  'exclude_from_transactions',
];

/** Returns the problem of an update without any property that can be changed. */
export function emptyUpdateProblems(body: object): ErrorDetail[] {
  if (Object.keys(body).some((name) => updatable.includes(name))) return [];
  const errMsg = `A request to update a manual account must include at least one of: ${updatable.join(', ')}`;
  return [{ errMsg, instancePath: '/body' }];
}
