import { parseAmount } from '@coffer/core/money';
import { isStorable } from '@coffer/core/text';
import {
  boundedFetch,
  nonsense,
  parseJsonLiterals,
  isJsonObject,
  NumberLiteral,
} from '../../outside/bounded-fetch.ts';
import type { WayOut, JsonObject } from '../../outside/bounded-fetch.ts';
import { isPrivateHost } from '../../outside/guarded-request.ts';
import { CryptoRefreshError } from '../../outside/provider-error.ts';
import type { BankReading, DayRange, BankAccount, BankEntry } from './rules.ts';

const who = 'The SimpleFIN bridge';
/** A reading of many accounts over three months. */
const maxBytes = 16 * 1024 * 1024;
const dayMs = 86_400_000;

/** Returns the URL of a setup token, which is its Base64 form; null for a text that is none. */
export function setupUrlOf(setupToken: string): URL | null {
  return secureUrl(Buffer.from(setupToken.trim(), 'base64').toString());
}

/**
 * Exchanges a setup token for an access URL, which has the user name and the password of the client.
 *
 * A setup token can be used once. Rejects with CryptoRefreshError; `refused` when the token was used before. An access
 * URL in a private network must have the host and port of the setup token, and no public name may lead into one.
 *
 * Source: SimpleFIN protocol 1.0, "POST /claim/:token".
 */
export async function claimAccess(setupToken: string, way: WayOut): Promise<string> {
  const url = setupUrlOf(setupToken);
  if (url === null) throw nonsense('The user', 'a setup token is the Base64 form of an https URL');
  const text = await boundedFetch({ ...way, who, method: 'POST', url });
  const access = secureUrl(text.trim());
  if (access === null || access.username === '')
    throw nonsense(who, 'the access URL is not an https URL with a user name');
  // Otherwise a bridge could make Coffer send requests into the network that it runs in.
  if (access.host !== url.host && isPrivateHost(access.hostname))
    throw nonsense(who, 'the access URL is in a private network');
  return text.trim();
}

/** What to read from a bridge. */
export interface SimplefinRequest extends WayOut {
  readonly accessUrl: string;
  readonly range: DayRange;
  readonly nowMs: number;
}

/**
 * Reads all accounts with their transactions of a range of days, pending ones included.
 *
 * Source: SimpleFIN protocol 1.0, "GET /accounts".
 */
export async function readSimplefin(request: SimplefinRequest): Promise<BankReading> {
  const { accessUrl, range, nowMs, ...way } = request;
  const base = secureUrl(accessUrl);
  if (base === null) throw new CryptoRefreshError('unconfigured', `${who} has no https URL`);
  const url = new URL(base);
  const credentials = `${decodeURIComponent(base.username)}:${decodeURIComponent(base.password)}`;
  url.username = url.password = '';
  url.pathname = `${url.pathname.replace(/(?<!\/)\/+$/, '')}/accounts`;
  url.searchParams.set('start-date', String(Date.parse(range.from) / 1000));
  // Exclusive.
  url.searchParams.set('end-date', String((Date.parse(range.to) + dayMs) / 1000));
  url.searchParams.set('pending', '1');
  const headers = { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` };
  const text = await boundedFetch({ ...way, who, method: 'GET', url, headers, maxBytes });
  return readAccounts(who, parseJsonLiterals(who, text), nowMs);
}

/** Returns an https URL, or an http URL of this machine; null for any other text. */
function secureUrl(text: string): URL | null {
  const url = isStorable(text) ? URL.parse(text) : null;
  if (url?.protocol === 'https:') return url;
  const isLocal = ['127.0.0.1', '[::1]', 'localhost'].includes(url?.hostname ?? '');
  return url?.protocol === 'http:' && isLocal ? url : null;
}

const maxTextLength = 500;
const maxIdLength = 200;

/**
 * Reads the response of `GET /accounts`. What is wrong with one account or transaction is reported and left out.
 *
 * Throws CryptoRefreshError with the reason `nonsense` for a response that is no list of accounts.
 */
function readAccounts(who: string, body: JsonObject, nowMs: number): BankReading {
  const { accounts, errors } = body;
  if (!Array.isArray(accounts)) throw nonsense(who, 'it has no list of accounts');
  const problems = Array.isArray(errors) ? errors.map(cleanText).filter((text) => text !== '') : [];
  const read = accounts.flatMap((each: unknown) => readAccount(each, nowMs, problems) ?? []);
  return { readAt: new Date(nowMs).toISOString(), accounts: read, problems };
}

function readAccount(each: unknown, nowMs: number, problems: string[]): BankAccount | null {
  if (!isJsonObject(each)) return noted(problems, 'An account is not an object');
  const name = cleanText(each['name']);
  const remote_id = idOf(each['id']);
  if (remote_id === null) return noted(problems, `The account "${name}" has no id`);
  const currency = cleanText(each['currency']).toLowerCase();
  const amount = amountOf(each['balance']);
  if (!/^[a-z]{3}$/.test(currency))
    return noted(problems, `The account "${name}" has the unknown currency "${currency}"`);
  if (amount === null) return noted(problems, `The balance of the account "${name}" is no amount`);
  const org = isJsonObject(each['org']) ? each['org'] : {};
  const type = typeOf(name, each);
  const rows: unknown[] = Array.isArray(each['transactions']) ? each['transactions'] : [];
  return {
    remote_id,
    name: name || remote_id,
    type,
    currency,
    mask: maskOf(name),
    institution_name: cleanText(org['name']) || cleanText(org['domain']),
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
  const remote_id = idOf(row['id']);
  const amount = amountOf(row['amount']);
  if (remote_id === null) return noted(problems, `${where} has no id`);
  if (amount === null)
    return noted(problems, `${where} has the amount "${cleanText(row['amount'])}"`);
  const posted = secondsOf(row['posted']);
  const memo = cleanText(row['memo']);
  return {
    remote_id,
    amount: negated(amount),
    date: instantOf(posted > 0 ? row['posted'] : row['transacted_at'], nowMs).slice(0, 10),
    payee: cleanText(row['payee']) || cleanText(row['description']) || '[No Payee]',
    notes: memo === '' ? null : memo,
    is_pending: row['pending'] === true || posted === 0,
    plaid_metadata: JSON.stringify(row, (_key, value: unknown) =>
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

function cleanText(value: unknown): string {
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
