import { parseAmount } from '@coffer/core/money';
import { isStorable } from '@coffer/core/text';
import type { BankAccount, BankEntry, BankReading } from './rules.ts';
import { nonsense } from '../../outside/bounded-fetch.ts';
import { isJsonObject, NumberLiteral } from '../../outside/json.ts';
import type { JsonObject } from '../../outside/json.ts';

const maxTextLength = 500;
const maxIdLength = 200;

/**
 * Reads the response of `GET /accounts`. What is wrong with one account or transaction is reported and left out.
 *
 * Throws CryptoRefreshError with the reason `nonsense` for a response that is no list of accounts.
 */
export function readAccounts(who: string, body: JsonObject, nowMs: number): BankReading {
  const { accounts, errors } = body;
  if (!Array.isArray(accounts)) throw nonsense(who, 'it has no list of accounts');
  const problems = Array.isArray(errors) ? errors.map(textOf).filter((text) => text !== '') : [];
  const read = accounts.flatMap((each: unknown) => readAccount(each, nowMs, problems) ?? []);
  return { readAt: new Date(nowMs).toISOString(), accounts: read, problems };
}

function readAccount(each: unknown, nowMs: number, problems: string[]): BankAccount | null {
  if (!isJsonObject(each)) return noted(problems, 'An account is not an object');
  const name = textOf(each['name']);
  const remoteId = idOf(each['id']);
  if (remoteId === null) return noted(problems, `The account "${name}" has no id`);
  const currency = textOf(each['currency']).toLowerCase();
  const amount = amountOf(each['balance']);
  if (!/^[a-z]{3}$/.test(currency))
    return noted(problems, `The account "${name}" has the unknown currency "${currency}"`);
  if (amount === null) return noted(problems, `The balance of the account "${name}" is no amount`);
  const org = isJsonObject(each['org']) ? each['org'] : {};
  const type = typeOf(name, each);
  const rows: unknown[] = Array.isArray(each['transactions']) ? each['transactions'] : [];
  return {
    remoteId,
    name: name || remoteId,
    type,
    currency,
    mask: maskOf(name),
    institution: textOf(org['name']) || textOf(org['domain']),
    balance: type === 'credit' || type === 'loan' ? negated(amount) : amount,
    balanceAt: instantOf(each['balance-date'], nowMs),
    entries: rows.flatMap((row) => readEntry(row, name, nowMs, problems) ?? []),
  };
}

function readEntry(
  row: unknown,
  account: string,
  nowMs: number,
  problems: string[],
): BankEntry | null {
  const where = `A transaction of the account "${account}"`;
  if (!isJsonObject(row)) return noted(problems, `${where} is not an object`);
  const remoteId = idOf(row['id']);
  const amount = amountOf(row['amount']);
  if (remoteId === null) return noted(problems, `${where} has no id`);
  if (amount === null) return noted(problems, `${where} has the amount "${textOf(row['amount'])}"`);
  const posted = secondsOf(row['posted']);
  const memo = textOf(row['memo']);
  return {
    remoteId,
    amount: negated(amount),
    date: instantOf(posted > 0 ? row['posted'] : row['transacted_at'], nowMs).slice(0, 10),
    payee: textOf(row['payee']) || textOf(row['description']) || '[No Payee]',
    notes: memo === '' ? null : memo,
    isPending: row['pending'] === true || posted === 0,
    metadata: JSON.stringify(row, (_key, value: unknown) =>
      value instanceof NumberLiteral ? JSON.rawJSON(value.source) : value,
    ),
  };
}

function noted(problems: string[], problem: string): null {
  problems.push(problem);
  return null;
}

/** Banks give no type; names of accounts do. */
function typeOf(name: string, account: JsonObject): string {
  if (Array.isArray(account['holdings']) && account['holdings'].length > 0) return 'investment';
  if (/\b(mortgage|loan)\b/i.test(name)) return 'loan';
  if (/\b(credit|card|visa|mastercard|amex)\b/i.test(name)) return 'credit';
  return 'depository';
}

/** The last digits of the number in a name such as `Checking (...1234)`. */
function maskOf(name: string): string {
  return /(\d{3,4})\D*$/.exec(name)?.[1] ?? '';
}

function textOf(value: unknown): string {
  if (value instanceof NumberLiteral) return value.source;
  return typeof value === 'string' && isStorable(value) ? value.slice(0, maxTextLength).trim() : '';
}

function idOf(value: unknown): string | null {
  const id = value instanceof NumberLiteral ? value.source : value;
  const isId = typeof id === 'string' && id !== '' && id.length <= maxIdLength && isStorable(id);
  return isId ? id : null;
}

function amountOf(value: unknown): number | null {
  return parseAmount(value instanceof NumberLiteral ? value.source : String(value));
}

function negated(amount: number): number {
  return amount === 0 ? 0 : -amount;
}

/** Whole seconds since 1970; 0 for anything else. */
function secondsOf(value: unknown): number {
  const source = value instanceof NumberLiteral ? value.source : '';
  return /^[1-9]\d{0,10}$/.test(source) ? Number(source) : 0;
}

function instantOf(value: unknown, nowMs: number): string {
  const seconds = secondsOf(value);
  return new Date(seconds === 0 ? nowMs : seconds * 1000).toISOString();
}
