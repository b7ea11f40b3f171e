import {
  parseColumnMap,
  type DateOrder,
  type ColumnKey,
  type ColumnMap,
} from '../../statement/statement.ts';

/** What is known about the files of a bank or an application. */
export interface Profile {
  readonly name: string;
  /** Folded names that its header has, all of them, separated by `|`. */
  readonly header: string;
  /** Its header has no other names: for names that others use, too. */
  readonly isWhole?: boolean;
  /** Folded names that its header does not have. */
  readonly without?: string;
  /** Folded names of the columns, separated by `|`: the next one is used where the cell of the first is blank. */
  readonly columns?: Partial<Record<ColumnKey, string>>;
  /** Parts of an entry that the file does not have, although a name looks like it. */
  readonly ignored?: readonly ColumnKey[];
  /** The order of dates that fit several. */
  readonly dateOrder?: DateOrder;
  /** Money out is positive. */
  readonly isNegated?: boolean;
  /** The words of the direction decide, whatever the sign. */
  readonly wordsDecide?: boolean;
  /** What a blank direction means. */
  readonly blankWord?: 1 | -1;
  readonly fee?: 'none' | 'subtract';
  readonly currency?: string;
  /** The user's own records: a row named `Starting Balance` is a transaction. */
  readonly isApplication?: boolean;
  /** An export of Coffer: its texts are taken as they are. */
  readonly isOwn?: boolean;
  /** How rows belong together as parts of a split, or what each row is for `wise`. */
  readonly splits?: 'ynab' | 'actual' | 'firefly' | 'wise';
}

/** A profile as a row of a table: its columns are written as a map, `payee=name|type,amount=net`. */
interface ProfileRow extends Omit<Profile, 'columns'> {
  readonly columns?: string;
}

/** Exports of applications, the more special headers first. */
const APPLICATIONS: readonly ProfileRow[] = [
  {
    name: 'Coffer',
    header: 'id|date|amount|currency|payee|notes|account|category|tags|status|external id',
    columns: 'payee=payee,notes=notes,tags=tags',
    ignored: ['status'],
    isApplication: true,
    isOwn: true,
  },
  {
    name: 'Lunch Money',
    header: 'date|payee|amount|is income',
    columns:
      'account=account name|account display name|plaid account name|asset name|account,' +
      'notes=notes',
    isNegated: true,
    isApplication: true,
  },
  {
    name: 'Lunch Money',
    header: 'date|payee|amount|exclude from budget',
    columns:
      'account=account name|account display name|plaid account name|asset name|account,' +
      'notes=notes',
    isNegated: true,
    isApplication: true,
  },
  {
    name: 'YNAB',
    header: 'date|payee|memo|outflow|inflow',
    columns:
      'account=account,payee=payee,notes=memo,debit=outflow,credit=inflow,' +
      'category=category group/category|category|sub category,tags=flag',
    ignored: ['status', 'amount', 'balance'],
    dateOrder: 'm/d/y',
    splits: 'ynab',
    isApplication: true,
  },
  {
    name: 'Mint',
    header:
      'date|description|original description|amount|transaction type|category|account name|labels|notes',
    columns:
      'payee=description,direction=transaction type,tags=labels,notes=notes,' +
      'account=account name,category=category',
    dateOrder: 'm/d/y',
    wordsDecide: true,
    currency: 'usd',
    isApplication: true,
  },
  {
    name: 'Firefly III',
    header: 'journal id|type|amount|currency code|description|date|source name|destination name',
    columns:
      'date=date,amount=amount,currency=currency code,category=category,tags=tags,' +
      'notes=notes,payee=description',
    ignored: ['status', 'fee', 'external_id', 'account', 'balance'],
    splits: 'firefly',
    isApplication: true,
  },
  {
    name: 'Actual',
    header: 'account|date|payee|notes|category|amount|split amount|cleared',
    columns: 'account=account,payee=payee,notes=notes,category=category,amount=amount',
    ignored: ['status', 'debit', 'credit'],
    splits: 'actual',
    isApplication: true,
  },
  {
    name: 'Monarch',
    header: 'date|merchant|category|account|original statement|notes|amount|tags',
    columns: 'payee=merchant|original statement,notes=notes,tags=tags',
    isApplication: true,
  },
  {
    name: 'Copilot',
    header: 'date|name|amount|status|category|parent category|excluded|tags|type|account',
    columns: 'payee=name,notes=note,account=account',
    ignored: ['direction'],
    isNegated: true,
    isApplication: true,
  },
  {
    name: 'Monefy',
    header: 'date|account|category|amount|currency|converted amount|description',
    columns: 'payee=description',
    isApplication: true,
  },
];

/** Files of banks and payment services, as far as their names alone do not say everything. */
const BANKS: readonly ProfileRow[] = [
  {
    name: 'Revolut',
    header: 'type|started date|completed date|description|amount|fee|currency|state',
    columns: 'date=completed date|started date,payee=description,account=product',
    ignored: ['direction'],
    fee: 'subtract',
  },
  {
    name: 'Wise',
    header: 'transferwise id|date|amount|currency|description|running balance',
    columns: 'date=date,payee=description,notes=payment reference',
    ignored: ['fee'],
    fee: 'none',
  },
  {
    name: 'Wise history',
    header:
      'status|direction|created on|source amount (after fees)|source currency|target name|target amount (after fees)|target currency',
    columns:
      'date=created on|finished on,amount=source amount (after fees),status=status,' +
      'payee=target name|source name,currency=source currency,category=category,' +
      'notes=reference',
    ignored: ['fee', 'direction', 'account', 'debit', 'credit', 'balance', 'tags'],
    splits: 'wise',
  },
  {
    name: 'PayPal',
    header: 'date|name|type|status|currency|gross|fee|net',
    columns: 'payee=name|type,amount=net,notes=item title|note|subject,status=status',
    ignored: ['fee', 'direction'],
  },
  {
    name: 'PayPal',
    header: 'datum|name|wahrung|brutto|netto',
    columns: 'payee=name|typ|beschreibung,amount=netto',
    ignored: ['fee', 'direction'],
  },
  {
    name: 'Venmo',
    header: 'datetime|type|status|note|from|to|amount (total)',
    columns: 'date=datetime,payee=note|type,amount=amount (total)',
    ignored: ['fee', 'direction', 'notes', 'debit', 'credit'],
    currency: 'usd',
  },
  {
    name: 'Monzo',
    header: 'transaction id|date|time|type|name|amount|currency|notes and #tags',
    columns: 'date=date,payee=name|description,notes=notes and #tags,amount=amount',
    ignored: ['direction', 'debit', 'credit'],
    dateOrder: 'd/m/y',
  },
  {
    name: 'Starling',
    header: 'date|counter party|reference|type|amount (gbp)|balance (gbp)',
    columns: 'payee=counter party,notes=reference|notes',
    ignored: ['direction'],
    dateOrder: 'd/m/y',
  },
  {
    name: 'Chase',
    header: 'details|posting date|description|amount|type|balance',
    columns: 'payee=description,direction=details',
    dateOrder: 'm/d/y',
    currency: 'usd',
  },
  {
    name: 'Chase card',
    header: 'transaction date|post date|description|category|type|amount',
    columns: 'payee=description',
    ignored: ['direction'],
    dateOrder: 'm/d/y',
    currency: 'usd',
  },
  {
    name: 'American Express',
    header: 'date processed|description|amount|',
    columns: 'payee=description',
    dateOrder: 'd/m/y',
    isNegated: true,
    currency: 'gbp',
  },
  {
    name: 'American Express',
    header: 'date|description|amount|extended details|appears on your statement as',
    columns: 'payee=description,notes=extended details',
    isNegated: true,
  },
  {
    name: 'American Express',
    header: 'date|description|card member|account #|amount',
    columns: 'payee=description,account=account #',
    dateOrder: 'm/d/y',
    isNegated: true,
    currency: 'usd',
  },
  {
    name: 'American Express',
    header: 'datum|beschreibung|karteninhaber|konto #|betrag',
    columns: 'payee=beschreibung,account=konto #',
    isNegated: true,
    currency: 'eur',
  },
  {
    name: 'Amazon Visa',
    header:
      'kreditkartennummer|buchungsdatum|transaktionsdatum|haendler|transaktionsbetrag|buchungsbetrag',
    columns:
      'account=kreditkartennummer,date=buchungsdatum|transaktionsdatum,payee=haendler,' +
      'amount=buchungsbetrag',
    isNegated: true,
    currency: 'eur',
  },
  {
    name: 'Bank of America',
    header: 'date|description|amount|running bal.',
    dateOrder: 'm/d/y',
    currency: 'usd',
  },
  {
    name: 'Bank of America card',
    header: 'posted date|reference number|payee|address|amount',
    columns: 'payee=payee,notes=address',
    dateOrder: 'm/d/y',
    currency: 'usd',
  },
  {
    name: 'Capital One',
    header: 'transaction date|posted date|card no.|description|category|debit|credit',
    columns: 'account=card no.',
    currency: 'usd',
  },
  {
    name: 'Schwab',
    header: 'date|type|description|withdrawal|deposit|runningbalance',
    ignored: ['direction'],
    dateOrder: 'm/d/y',
    currency: 'usd',
  },
  {
    name: 'Lloyds',
    header:
      'transaction date|transaction type|sort code|account number|transaction description|debit amount|credit amount',
    columns: 'account=account number,payee=transaction description',
    dateOrder: 'd/m/y',
  },
  {
    name: 'Barclays',
    header: 'number|date|account|amount|subcategory|memo',
    columns: 'account=account,payee=memo',
    dateOrder: 'd/m/y',
  },
  {
    name: 'Swedbank',
    header: 'radnummer|clearingnummer|kontonummer|produkt|valuta|bokforingsdag|transaktionsdag',
    columns: 'account=kontonummer',
  },
  {
    name: 'Payoneer',
    header:
      'transaction date|transaction time|time zone|transaction id|description|credit amount|debit amount',
    columns: 'date=transaction date,payee=description,notes=additional description',
    dateOrder: 'm/d/y',
  },
  {
    name: 'Paytm',
    header: 'date|activity|source/destination|wallet txn id',
    columns: 'payee=activity,notes=comment',
    dateOrder: 'd/m/y',
    currency: 'inr',
  },
  {
    name: 'HDFC',
    header: 'date|narration|value dat|debit amount|credit amount|chq/ref number|closing balance',
    dateOrder: 'd/m/y',
    currency: 'inr',
  },
  {
    name: 'HDFC',
    header: 'date|narration|chq./ref.no.|value dt|withdrawal amt.|deposit amt.|closing balance',
    dateOrder: 'd/m/y',
    currency: 'inr',
  },
  {
    name: 'ICICI card',
    header: 'date|sr.no.|transaction details|billingamountsign',
    columns: 'payee=transaction details,amount=amount(in rs),direction=billingamountsign',
    dateOrder: 'd/m/y',
    wordsDecide: true,
    blankWord: -1,
    currency: 'inr',
  },
  {
    name: 'ICICI',
    header:
      'value date|transaction date|transaction remarks|withdrawal amount (inr )|deposit amount (inr )',
    dateOrder: 'd/m/y',
    currency: 'inr',
  },
  {
    name: 'ING',
    header: 'datum|naam / omschrijving|rekening|tegenrekening|af bij|mededelingen',
    columns: 'payee=naam / omschrijving,notes=mededelingen,account=rekening',
    ignored: ['tags'],
    currency: 'eur',
  },
  {
    name: 'Rabobank',
    header: 'iban/bban|munt|datum|bedrag|saldo na trn|naam tegenpartij',
    columns: 'date=datum,payee=naam tegenpartij|omschrijving-1,notes=omschrijving-1',
  },
  {
    name: 'UBS',
    header: 'produit|monn.|description|date de valeur|description 1|description 2|description 3',
    columns: 'payee=description 2|description 1,notes=description 1,account=produit,currency=monn.',
  },
  {
    name: 'UBS',
    header: 'produkt|whrg.|beschreibung|valuta|beschreibung 1|beschreibung 2|beschreibung 3',
    columns:
      'payee=beschreibung 2|beschreibung 1,notes=beschreibung 1,currency=whrg.,' +
      'account=produkt,date=abschluss|buchungsdatum|valuta',
  },
  {
    name: 'BoursoBank',
    header: 'date operation|date valeur|libelle|libelle suggere|solde|numero compte|libelle compte',
    columns: 'amount=solde,payee=libelle suggere|libelle,notes=libelle',
    dateOrder: 'd/m/y',
  },
  {
    name: 'Amazon Visa',
    header:
      'kreditkartennummer|buchungsdatum|transaktionsdatum|haendler|transaktionsbetrag|transaktionswaehrung|buchungsbetrag',
    columns: 'date=buchungsdatum,payee=haendler,amount=buchungsbetrag',
    ignored: ['currency'],
    isNegated: true,
    currency: 'eur',
  },
  {
    name: 'Nubank card',
    header: 'date|title|amount',
    isWhole: true,
    columns: 'payee=title',
    isNegated: true,
    currency: 'brl',
  },
  {
    name: 'Nubank card',
    header: 'date|category|title|amount',
    isWhole: true,
    columns: 'payee=title',
    isNegated: true,
    currency: 'brl',
  },
  {
    name: 'Nubank',
    header: 'data|valor|identificador|descricao',
    dateOrder: 'd/m/y',
    currency: 'brl',
  },
  {
    name: 'Tinkoff',
    header:
      'дата операции|дата платежа|номер карты|статус|сумма операции|валюта операции|сумма платежа',
    columns:
      'date=дата операции,amount=сумма платежа,currency=валюта платежа,payee=описание,' +
      'status=статус,account=номер карты',
    ignored: ['notes', 'fee'],
  },
  {
    name: 'Stripe',
    header: 'balance transaction id|created utc|available on utc|currency|gross|fee|net',
    columns: 'payee=description|reporting category,amount=net,category=reporting category',
    ignored: ['fee'],
  },
];

const PROFILES = [...APPLICATIONS, ...BANKS].map(({ columns, ...row }) => ({
  profile: {
    ...row,
    ...(columns !== undefined && { columns: parseColumnMap(columns) }),
  },
  names: row.header.split('|'),
  without: row.without?.split('|') ?? [],
}));

/**
 * The first known bank or application whose names a header contains; null if there is none. One that has its amounts in
 * several columns counts only where the map does not say where they are.
 */
export function profileOf(foldedNames: readonly string[], map: ColumnMap): Profile | null {
  const present = new Set(foldedNames);
  const found = PROFILES.find(
    ({ profile, names, without }) =>
      names.every((name) => present.has(name)) &&
      !without.some((name) => present.has(name)) &&
      (profile.isWhole !== true || foldedNames.length === names.length),
  );
  if (found?.profile.splits === 'wise' && map.amount !== undefined) return null;
  return found?.profile ?? null;
}
