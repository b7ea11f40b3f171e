import { listOf } from '../../statement/texts.ts';
import { Refusal, type ProblemList } from '../../statement/statement-error.ts';
import type { Attributes, XmlEvents } from './xml.ts';
import {
  accountKey,
  type Field,
  type Fields,
  checkedBalances,
  type CheckedBalances,
  type RawBalance,
} from './values.ts';

/** The account of a statement, and the statement that it continues. */
type Place = Pick<RawEntry, 'account' | 'series'>;

/** What is known of the last statement of an account. */
interface Link {
  readonly id: string;
  readonly page: number;
  readonly balances: CheckedBalances;
  readonly series: number;
}

/**
 * Finds statements that continue another one: the next page of it, or the next statement, whose opening balance is the
 * closing balance of the one before. Equal entries of such statements are different purchases. Equal entries of other
 * statements of one account may be the same entry, sent again.
 */
class Chains {
  readonly #last = new Map<string, Link>();

  /** The place of a statement, which may still be open. */
  placeOf(statement: RawStatement): Place {
    const account = accountKey(statement.fields);
    const before = this.#last.get(account);
    const isContinued = before !== undefined && isNext(before, linkOf(statement));
    return { account, series: isContinued ? before.series : statement.index };
  }

  /** Adds a complete statement, at its place if that is known already. */
  close(statement: RawStatement, place: Place | null): void {
    const { account, series } = place ?? this.placeOf(statement);
    this.#last.set(account, { ...linkOf(statement), series });
  }
}

function linkOf(statement: RawStatement): Omit<Link, 'series'> {
  const { fields } = statement;
  const page = ['StmtPgntn', 'RptPgntn', 'NtfctnPgntn']
    .map((name) => fields.get(`${name}/PgNb`)?.value)
    .find((value) => value !== undefined);
  const balances = checkedBalances(statement.balances);
  return { id: fields.get('Id')?.value ?? '', page: Number(page ?? 0), balances };
}

function isNext(before: Link, link: Omit<Link, 'series'>): boolean {
  if (before.id !== '' && before.id === link.id) return link.page > before.page;
  const { opening, closing } = link.balances;
  const first = before.balances.opening;
  const last = before.balances.closing;
  if (opening === null || last === null) return false;
  if (opening.amount !== last.amount || opening.currency !== last.currency) return false;
  // With the same balances on the same days it is the same statement again, under another id.
  const isSame =
    first?.amount === opening.amount &&
    first.date === opening.date &&
    closing?.amount === last.amount &&
    closing.date === last.date;
  return !isSame;
}

/** Maximum details of an entry that are read: as many as a split transaction may have parts. */
const MAX_DETAILS = 500;
/** Maximum characters of all values of an entry. */
const MAX_ENTRY_LENGTH = 1_048_576;
const MAX_STATEMENTS = 20_000;
const MAX_BALANCES = 1_000;

const MESSAGE = /^BkToCstmr(?:Stmt|AcctRpt|DbtCdtNtfctn)(?:V\d\d)?$/;
const STATEMENTS: ReadonlySet<string> = new Set(['Stmt', 'Rpt', 'Ntfctn']);

type Kind = 'file' | 'statement' | 'balance' | 'entry' | 'detail';

/** The elements that begin a part, by the part around them and the path in it. */
const PARTS: Readonly<Partial<Record<Kind, readonly (readonly [path: string, part: Kind])[]>>> = {
  statement: [
    ['Bal', 'balance'],
    ['Ntry', 'entry'],
  ],
  entry: [['NtryDtls/TxDtls', 'detail']],
};

const PARTIES = ['Dbtr', 'Cdtr', 'UltmtDbtr', 'UltmtCdtr'].flatMap((party) =>
  ['Nm', 'Pty/Nm', 'Agt/FinInstnId/Nm'].map((name) => `RltdPties/${party}/${name}`),
);
const ACCOUNTS = ['DbtrAcct', 'CdtrAcct'].flatMap((account) =>
  ['IBAN', 'Othr/Id'].map((id) => `RltdPties/${account}/Id/${id}`),
);
/** Texts that may occur several times in a detail. */
const TEXTS = listOf(
  'RmtInf/Ustrd RmtInf/Strd/CdtrRefInf/Ref RmtInf/Strd/CdtrRefInf/CdtrRef RmtInf/Strd/AddtlRmtInf',
  'RtrInf/AddtlInf',
);
/** Paths whose values are joined. */
const JOINED_FIELDS: ReadonlySet<string> = new Set([...TEXTS, 'AddtlTxInf', 'AddtlNtryInf']);

/** The paths that are read in each part of the file. */
const FIELDS: Readonly<Record<Kind, ReadonlySet<string>>> = {
  file: new Set(),
  statement: new Set(
    listOf(
      'Id CreDtTm FrToDt/ToDtTm FrToDt/ToDt StmtPgntn/PgNb RptPgntn/PgNb NtfctnPgntn/PgNb',
      'Acct/Id/IBAN Acct/Id/BBAN Acct/Id/Othr/Id Acct/Id/PrtryAcct/Id Acct/Ccy Acct/Nm Acct/Tp/Cd',
      'Acct/Ownr/Nm Acct/Ownr/Pty/Nm Acct/Svcr/FinInstnId/BICFI Acct/Svcr/FinInstnId/BIC',
      'Acct/Svcr/FinInstnId/Nm Acct/Svcr/FinInstnId/ClrSysMmbId/MmbId',
      'Acct/Svcr/FinInstnId/CmbndId/BIC',
    ),
  ),
  balance: new Set(listOf('Tp/CdOrPrtry/Cd Tp/Cd Amt CdtDbtInd Dt/Dt Dt/DtTm Dt')),
  entry: new Set(
    listOf(
      'Amt CdtDbtInd RvslInd Sts Sts/Cd Sts/Prtry AcctSvcrRef AddtlNtryInf',
      'BookgDt BookgDt/Dt BookgDt/DtTm ValDt ValDt/Dt ValDt/DtTm',
    ),
  ),
  detail: new Set([
    ...listOf(
      'Refs/AcctSvcrRef Refs/Prtry/Tp Refs/Prtry/Ref Amt AmtDtls/TxAmt/Amt CdtDbtInd AddtlTxInf',
      'RtrInf/Rsn/Cd RltdDts/IntrBkSttlmDt RltdDts/TxDtTm RltdDts/AccptncDtTm',
    ),
    ...PARTIES,
    ...ACCOUNTS,
    ...TEXTS,
  ]),
};

/** A part of the file that is not closed yet. */
interface Part {
  readonly kind: Kind;
  readonly line: number;
  readonly fields: Map<string, Field>;
}

interface OpenStatement extends Part, RawStatement {
  readonly fields: Map<string, Field>;
  readonly balances: RawBalance[];
}

/** An open element. */
interface Frame {
  readonly name: string;
  readonly part: Part;
  /** In its part; empty for the element that begins the part. */
  readonly path: string;
  readonly line: number;
  readonly currency: string | null;
}

const FILE: Part = { kind: 'file', line: 1, fields: new Map() };

/**
 * Finds statements, their accounts, balances and entries in a stream of elements.
 * Errors: adds a problem for an entry outside a statement; Refusal if a statement exceeds a limit.
 */
export class Outline implements XmlEvents {
  readonly #problems: ProblemList;
  readonly #chains = new Chains();
  readonly #frames: Frame[] = [];
  #statement: OpenStatement | null = null;
  /** Account and series of the open statement, from its first entry on. */
  #place: Pick<RawEntry, 'account' | 'series'> | null = null;
  #details: Fields[] = [];
  #detailCount = 0;
  #entryLength = 0;
  #entries: RawEntry[] = [];
  #closed: RawStatement[] = [];
  #count = 0;

  constructor(problems: ProblemList) {
    this.#problems = problems;
  }

  /** The entries that were closed since the last call. */
  takeEntries(): RawEntry[] {
    const entries = this.#entries;
    this.#entries = [];
    return entries;
  }

  /** Statements that were closed, in file order. */
  get statements(): readonly RawStatement[] {
    return this.#closed;
  }

  open(name: string, attributes: Attributes, line: number): void {
    const around = this.#frames.at(-1);
    const part = around?.part ?? FILE;
    const path = around === undefined || around.path === '' ? name : `${around.path}/${name}`;
    const begun = this.#begin(name, part, path, around?.name ?? '', line);
    const currency = attributes['Ccy'] ?? null;
    this.#frames.push(
      begun === null
        ? { name, part, path: part === FILE ? '' : path, line, currency }
        : { name, part: begun, path: '', line, currency },
    );
  }

  close(text: string): void {
    const { part, path, line, currency } = this.#frames.pop()!;
    const value = text.trim();
    if (value !== '' && FIELDS[part.kind].has(path)) {
      this.#take(part, path, { line, value, currency });
    }
    if (path === '' && part !== FILE) this.#end(part);
  }

  /** The part that an element begins, or null. */
  #begin(name: string, part: Part, path: string, parent: string, line: number): Part | null {
    const { kind } = part;
    if (kind === 'file') return this.#beginStatement(name, parent, line);
    const begun = PARTS[kind]?.find(([at]) => at === path)?.[1];
    if (begun === undefined) return null;
    if (begun === 'entry') this.#beginEntry();
    return { kind: begun, line, fields: new Map() };
  }

  #beginStatement(name: string, parent: string, line: number): Part | null {
    if (name === 'Ntry') this.#problems.add(line, '<Ntry>', null, 'Is outside a statement');
    if (!STATEMENTS.has(name) || !MESSAGE.test(parent)) return null;
    const index = this.#count;
    this.#count += 1;
    if (index === MAX_STATEMENTS)
      throw new Refusal(`File has more than ${MAX_STATEMENTS} statements`, line);
    this.#statement = {
      kind: 'statement',
      index,
      line,
      fields: new Map(),
      balances: [],
    };
    this.#place = null;
    return this.#statement;
  }

  #beginEntry(): void {
    this.#details = [];
    this.#detailCount = 0;
    this.#entryLength = 0;
    this.#place ??= this.#chains.placeOf(this.#statement!);
  }

  #take({ kind, fields }: Part, path: string, field: Field): void {
    if (kind === 'detail' && this.#detailCount >= MAX_DETAILS) return;
    const before = fields.get(path);
    if (before !== undefined && !JOINED_FIELDS.has(path)) return;
    this.#entryLength += field.value.length;
    if (this.#entryLength > MAX_ENTRY_LENGTH) {
      throw new Refusal(
        `Text of one entry is longer than ${MAX_ENTRY_LENGTH} characters`,
        field.line,
      );
    }
    const value = before === undefined ? field.value : `${before.value} ${field.value}`;
    fields.set(path, { ...(before ?? field), value });
  }

  #end({ kind, line, fields }: Part): void {
    const statement = this.#statement!;
    if (kind === 'balance') this.#endBalance({ line, fields }, statement);
    if (kind === 'detail') {
      this.#detailCount += 1;
      if (this.#details.length < MAX_DETAILS) this.#details.push(fields);
    }
    if (kind === 'entry') {
      const details = this.#details;
      const detailCount = this.#detailCount;
      this.#details = [];
      this.#entryLength = 0;
      this.#entries.push({ line, statement, ...this.#place!, fields, details, detailCount });
    }
    if (kind === 'statement') {
      this.#chains.close(statement, this.#place);
      this.#closed.push(statement);
      this.#statement = null;
    }
  }

  #endBalance(balance: RawBalance, statement: OpenStatement): void {
    this.#entryLength = 0;
    if (statement.balances.length === MAX_BALANCES)
      throw new Refusal(`Statement has more than ${MAX_BALANCES} balances`, balance.line);
    statement.balances.push(balance);
  }
}

/** A statement, report or notification as written in the file. */
export interface RawStatement {
  /** Index in the file, from 0. */
  readonly index: number;
  readonly line: number;
  readonly fields: Fields;
  readonly balances: readonly RawBalance[];
}

/** A `Ntry`, not parsed. */
export interface RawEntry {
  readonly line: number;
  readonly statement: RawStatement;
  /** Identifies the account within the file. */
  readonly account: string;
  /** Index of the statement that this one continues; its own if it continues none. */
  readonly series: number;
  readonly fields: Fields;
  /** `TxDtls`; at most 500. */
  readonly details: readonly Fields[];
  /** The number of all `TxDtls`. */
  readonly detailCount: number;
}
