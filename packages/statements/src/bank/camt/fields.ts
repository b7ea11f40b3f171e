/** Paths in a statement, `Stmt`, `Rpt` or `Ntfctn`. */
export const STATEMENT_FIELDS: ReadonlySet<string> = new Set([
  'Id',
  'CreDtTm',
  'FrToDt/ToDtTm',
  'FrToDt/ToDt',
  'StmtPgntn/PgNb',
  'RptPgntn/PgNb',
  'NtfctnPgntn/PgNb',
  'Acct/Id/IBAN',
  'Acct/Id/BBAN',
  'Acct/Id/Othr/Id',
  'Acct/Id/PrtryAcct/Id',
  'Acct/Ccy',
  'Acct/Nm',
  'Acct/Tp/Cd',
  'Acct/Ownr/Nm',
  'Acct/Ownr/Pty/Nm',
  'Acct/Svcr/FinInstnId/BICFI',
  'Acct/Svcr/FinInstnId/BIC',
  'Acct/Svcr/FinInstnId/Nm',
  'Acct/Svcr/FinInstnId/ClrSysMmbId/MmbId',
  'Acct/Svcr/FinInstnId/CmbndId/BIC',
]);

/** Paths in a balance, `Bal`. */
export const BALANCE_FIELDS: ReadonlySet<string> = new Set([
  'Tp/CdOrPrtry/Cd',
  'Tp/Cd',
  'Amt',
  'CdtDbtInd',
  'Dt/Dt',
  'Dt/DtTm',
  'Dt',
]);

/** Paths in an entry, `Ntry`. */
export const ENTRY_FIELDS: ReadonlySet<string> = new Set([
  'Amt',
  'CdtDbtInd',
  'RvslInd',
  'Sts',
  'Sts/Cd',
  'Sts/Prtry',
  'AcctSvcrRef',
  'AddtlNtryInf',
  'BookgDt',
  'BookgDt/Dt',
  'BookgDt/DtTm',
  'ValDt',
  'ValDt/Dt',
  'ValDt/DtTm',
]);

const PARTIES = ['Dbtr', 'Cdtr', 'UltmtDbtr', 'UltmtCdtr'].flatMap((party) =>
  ['Nm', 'Pty/Nm', 'Agt/FinInstnId/Nm'].map((name) => `RltdPties/${party}/${name}`),
);
const ACCOUNTS = ['DbtrAcct', 'CdtrAcct'].flatMap((account) =>
  ['IBAN', 'Othr/Id'].map((id) => `RltdPties/${account}/Id/${id}`),
);
/** Texts that may occur several times in a detail. */
const TEXTS = [
  'RmtInf/Ustrd',
  'RmtInf/Strd/CdtrRefInf/Ref',
  'RmtInf/Strd/CdtrRefInf/CdtrRef',
  'RmtInf/Strd/AddtlRmtInf',
  'RtrInf/AddtlInf',
];

/** Paths in a detail of an entry, `TxDtls`. */
export const DETAIL_FIELDS: ReadonlySet<string> = new Set([
  'Refs/AcctSvcrRef',
  'Refs/Prtry/Tp',
  'Refs/Prtry/Ref',
  'Amt',
  'AmtDtls/TxAmt/Amt',
  'CdtDbtInd',
  'AddtlTxInf',
  'RtrInf/Rsn/Cd',
  'RltdDts/IntrBkSttlmDt',
  'RltdDts/TxDtTm',
  'RltdDts/AccptncDtTm',
  ...PARTIES,
  ...ACCOUNTS,
  ...TEXTS,
]);

/** Paths whose values are joined. */
export const JOINED_FIELDS: ReadonlySet<string> = new Set([...TEXTS, 'AddtlTxInf', 'AddtlNtryInf']);
