/** An element: its text, its attributes by `@name`, or its children in order. */
export interface CamtElement {
  readonly [name: string]: string | CamtElement | readonly (string | CamtElement)[];
}

export interface CamtFile {
  readonly kind?: '052' | '053' | '054';
  readonly version?: number;
  /** With its colon; default: none. */
  readonly prefix?: string;
  readonly statements: readonly CamtElement[];
}

const MESSAGES = {
  '052': ['BkToCstmrAcctRpt', 'Rpt'],
  '053': ['BkToCstmrStmt', 'Stmt'],
  '054': ['BkToCstmrDbtCdtNtfctn', 'Ntfctn'],
} as const;

/** Formats a file with one tag per line, so that tests can count its lines. */
export function camtText(file: CamtFile, declaration = '<?xml version="1.0"?>\n'): string {
  const { kind = '053', version = 8, prefix = '', statements } = file;
  const [message, statement] = MESSAGES[kind];
  const space = `urn:iso:std:iso:20022:tech:xsd:camt.${kind}.001.${String(version).padStart(2, '0')}`;
  const xmlns = prefix === '' ? '@xmlns' : `@xmlns:${prefix.slice(0, -1)}`;
  const document = {
    [xmlns]: space,
    [message]: { GrpHdr: { MsgId: 'M1' }, [statement]: statements },
  };
  return `${declaration}${elementText('Document', document, prefix)}`;
}

/** A `Stmt` of one account. Later parts replace earlier ones of the same name, in place. */
export function camtStatement(
  entries: readonly CamtElement[],
  more: CamtElement = {},
): CamtElement {
  return { Id: 'S1', Acct: CAMT_ACCOUNT, ...more, Ntry: entries };
}

export const CAMT_ACCOUNT: CamtElement = {
  Id: { IBAN: 'DE02120300000000202051' },
  Ccy: 'EUR',
  Svcr: { FinInstnId: { BICFI: 'BYLADEM1001', Nm: 'Test bank' } },
};

export function camtBalance(code: string, amount: string, more: CamtElement = {}): CamtElement {
  return {
    Tp: { CdOrPrtry: { Cd: code } },
    Amt: { '@Ccy': 'EUR', '': amount },
    CdtDbtInd: 'CRDT',
    Dt: { Dt: '2024-01-31' },
    ...more,
  };
}

/** A `Ntry` with the required elements and the given ones. */
export function camtEntry(more: CamtElement = {}): CamtElement {
  return {
    Amt: { '@Ccy': 'EUR', '': '5.00' },
    CdtDbtInd: 'DBIT',
    Sts: { Cd: 'BOOK' },
    BookgDt: { Dt: '2024-01-31' },
    ...more,
  };
}

export function camtDetails(...details: readonly CamtElement[]): CamtElement {
  return { NtryDtls: { TxDtls: details } };
}

export function camtDetail(amount: string, more: CamtElement = {}): CamtElement {
  return { Amt: { '@Ccy': 'EUR', '': amount }, ...more };
}

function elementText(name: string, content: string | CamtElement, prefix: string): string {
  const parts = typeof content === 'string' ? [['', content] as const] : Object.entries(content);
  const attributes = parts
    .filter(([key]) => key.startsWith('@'))
    .map(([key, value]) => ` ${key.slice(1)}="${escaped(typeof value === 'string' ? value : '')}"`);
  const children = parts.filter(([key]) => !key.startsWith('@'));
  const open = `<${prefix}${name}${attributes.join('')}>`;
  const own = children.find(([key]) => key === '')?.[1];
  if (typeof own === 'string') return `${open}${escaped(own)}</${prefix}${name}>\n`;
  const inner = children.flatMap(([key, value]) =>
    (Array.isArray(value) ? value : [value]).map((one: string | CamtElement) =>
      elementText(key, one, prefix),
    ),
  );
  return `${open}\n${inner.join('')}</${prefix}${name}>\n`;
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\r', '&#13;');
}
