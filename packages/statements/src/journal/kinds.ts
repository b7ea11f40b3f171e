import type { Survey } from './text/survey.ts';

/** What an account is: money of its own, or the reason why money moves. */
export type AccountKind = 'asset' | 'liability' | 'category';

/** Names of the top accounts in many languages, separated by `|`. */
const ASSETS = [
  'a|asset|assets|cash|bank|banks|checking|savings|wallet|aktiva|vermögen|bargeld|konto',
  'konten|girokonto|actif|actifs|avoirs|activo|activos|efectivo|attività|attivo|ativo|ativos',
  'activa|bezittingen|aktywa|aktíva|eszközök|активы|активи|средства|tillgångar|eiendeler',
  'aktiver|varat|vastaavaa|active|varlıklar|tài sản|資産|资产|資產|자산|ενεργητικό|נכסים|الأصول',
];
const LIABILITIES = [
  'l|liability|liabilities|debt|debts|credit card|credit cards|loans|passiva',
  'verbindlichkeiten|schulden|fremdkapital|passif|passifs|dettes|pasivo|pasivos|deudas',
  'passività|passivo|passivos|debiti|dívidas|zobowiązania|pasywa|závazky|pasíva',
  "kötelezettségek|обязательства|пассивы|долги|зобов'язання|skulder|gjeld|forpligtelser|velat",
  'datorii|borçlar|passiver|nợ phải trả|المطلوبات|負債|负债|부채|υποχρεώσεις|התחייבויות|الخصوم',
];
const CATEGORIES = [
  'e|x|i|r|expense|expenses|income|revenue|revenues|equity|capital|ausgaben|aufwand',
  'aufwendungen|kosten|einnahmen|einkommen|ertrag|erträge|eigenkapital|anfangsbestand',
  'dépenses|charges|revenus|recettes|produits|capitaux|gastos|ingresos|patrimonio|egresos',
  'spese|costi|entrate|ricavi|despesas|receitas|patrimônio|rendimentos|uitgaven|inkomsten',
  'opbrengsten|eigen vermogen|wydatki|koszty|przychody|dochody|kapitał|výdaje|náklady|příjmy',
  'výnosy|kapitál|vlastní kapitál|kiadások|bevételek|saját tőke|расходы|доходы|капитал',
  'витрати|доходи|капітал|utgifter|kostnader|inkomster|intäkter|eget kapital|inntekter',
  'egenkapital|udgifter|indtægter|menot|kulut|tulot|oma pääoma|cheltuieli|venituri|giderler',
  'gelirler|費用|支出|费用|収入|收入|純資産|资本|权益|權益|비용|수입|자본',
];
const TOPS = kindsByName([
  ['asset', ASSETS],
  ['liability', LIABILITIES],
  ['category', CATEGORIES],
]);
/** Values of `type:`: a letter, or the name of the type. */
const TYPES = kindsByName([
  ['asset', ['a|asset|c|cash']],
  ['liability', ['l|liability']],
  ['category', ['e|equity|r|revenue|income|x|expense|v|conversion|g|gain']],
]);
const OPTIONS: ReadonlyMap<string, AccountKind> = new Map([
  ['assets', 'asset'],
  ['liabilities', 'liability'],
]);

function kindsByName(
  table: readonly (readonly [kind: AccountKind, lines: readonly string[]])[],
): ReadonlyMap<string, AccountKind> {
  return new Map(
    table.flatMap(([kind, lines]) =>
      lines.flatMap((line) => line.split('|')).map((name) => [name, kind] as const),
    ),
  );
}

/** The kinds of the accounts of a file. */
export interface AccountKinds {
  of(account: string): AccountKind;
  /** Accounts whose kind the file does not show, by their top name, in file order. */
  readonly unknown: readonly string[];
  /** Whether unknown accounts are money accounts, because no other account is one. */
  readonly isUnknownMoney: boolean;
}

/**
 * The kinds of accounts: by the type of the account or of the nearest account above it that has one, else by the top
 * name. If no account is an asset or a liability, all that are of no known kind are taken for assets.
 */
export function accountKinds(survey: Survey): AccountKinds {
  const known = new Map<string, AccountKind | null>();
  for (const account of survey.accounts) known.set(account, knownKind(account, survey));
  const isUnknownMoney = ![...known.values()].some(
    (kind) => kind === 'asset' || kind === 'liability',
  );
  const unknown = [...known].filter(([, kind]) => kind === null).map(([account]) => topOf(account));
  const other: AccountKind = isUnknownMoney ? 'asset' : 'category';
  return {
    of: (account) => known.get(account) ?? other,
    unknown: [...new Set(unknown)],
    isUnknownMoney,
  };
}

function knownKind(account: string, { types, tops }: Survey): AccountKind | null {
  for (let name = account; types.size > 0; name = name.slice(0, name.lastIndexOf(':'))) {
    const kind = TYPES.get(types.get(name)?.toLowerCase() ?? '');
    if (kind !== undefined) return kind;
    if (!name.includes(':')) break;
  }
  const top = topOf(account);
  const option = tops.get(top);
  if (option !== undefined) return OPTIONS.get(option) ?? 'category';
  return TOPS.get(top.toLowerCase().normalize('NFC')) ?? null;
}

function topOf(account: string): string {
  return account.split(':', 1)[0]!;
}
