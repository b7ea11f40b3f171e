import { COLUMN_KEYS, type ColumnKey } from './column-map.ts';

const UNDECOMPOSED: Record<string, string> = { ł: 'l', ø: 'o', đ: 'd', ß: 'ss', æ: 'ae' };

/**
 * Header names that are recognised without a map, preferred first.
 * Case, accents, `_` for a space and a trailing unit in parentheses are ignored.
 * Date columns rank: transaction date, plain date, booking date, value date.
 * A plain `id` is not an external id: row numbers of two files would collide.
 */
const HEADER_NAMES: Record<ColumnKey, readonly string[]> = {
  date: [
    ...['transaction date', 'trans date', 'trans. date', 'date of transaction', 'operation date'],
    ...['purchase date', 'transaktionsdatum', 'umsatzdatum', 'belegdatum', 'transactiedatum'],
    ...['datum verrichting', 'datum transactie', 'date operation', "date d'operation"],
    ...["date de l'operation", 'date de transaction', 'fecha operacion', 'fecha de operacion'],
    ...['fecha de la operacion', 'data operazione', 'data operacji', 'data transakcji'],
    ...['transaktionsdato', 'datum transakce', 'datum operace', 'дата операции', 'started date'],
    ...['date', 'datum', 'dato', 'fecha', 'data', 'дата', 'datetime', 'date time', 'timestamp'],
    ...['created', 'created utc', 'created at', 'booking date', 'posted date', 'posting date'],
    ...['post date', 'date posted', 'date processed', 'completed date', 'settled date', 'buchung'],
    ...['buchungstag', 'buchungsdatum', 'boekdatum', 'boekingsdatum', 'date comptable'],
    ...['date de comptabilisation', 'fecha contable', 'data contabile', 'data ksiegowania'],
    ...['bogføringsdato', 'bogfort', 'bokforingsdag', 'datum zauctovani', 'дата обработки'],
    ...['value date', 'wertstellung', 'wertstellungstag', 'valutadatum', 'valuta', 'date valeur'],
    ...['date de valeur', 'fecha valor', 'data valuta', 'data waluty', 'valørdato', 'datum valuty'],
  ],
  amount: [
    ...['amount', 'transaction amount', 'betrag', 'umsatz', 'bedrag', 'montant', 'importe'],
    ...['importo', 'kwota', 'kwota operacji', 'kwota transakcji', 'beløb', 'beløp', 'belopp'],
    ...['castka', 'objem', 'valor', 'сумма', 'сумма операции', 'net', 'net amount', 'gross'],
    ...['value'],
  ],
  debit: [
    ...['debit', 'debits', 'debit amount', 'withdrawal', 'withdrawals', 'withdrawal amount'],
    ...['money out', 'paid out', 'outflow', 'soll', 'lastschrift', 'belastung', 'debet'],
    ...['uitgaven', 'depenses', 'debito', 'cargo', 'cargos', 'adeudo', 'debe', 'addebito'],
    ...['addebiti', 'uscite', 'dare', 'obciazenia', 'wydatki', 'udgift', 'ud', 'uttag', 'vydaj'],
    ...['vydaje', 'расход', 'списание', 'spent', 'expense', 'expenses'],
  ],
  credit: [
    ...['credit', 'credits', 'credit amount', 'deposit', 'deposits', 'deposit amount', 'money in'],
    ...['paid in', 'inflow', 'haben', 'gutschrift', 'inkomsten', 'recettes', 'credito', 'abono'],
    ...['abonos', 'ingreso', 'ingresos', 'haber', 'accredito', 'accrediti', 'entrate', 'avere'],
    ...['uznania', 'wplywy', 'indtægt', 'ind', 'insattning', 'prijem', 'prijmy', 'приход'],
    ...['поступление', 'received', 'income'],
  ],
  // Used only if every cell of the column is a known direction.
  direction: [
    ...['direction', 'debit/credit', 'credit/debit', 'debitcredit', 'creditdebit', 'creditdebet'],
    ...['debetcredit', 'debet/credit', 'credit debit indicator', 'dr/cr', 'cr/dr', 'd/c', 'c/d'],
    ...['af bij', 'af/bij', 'soll/haben', 's/h', 'transaction type', 'transaktionstyp', 'type'],
    ...['typ', 'tipo', 'sens', 'sign'],
  ],
  payee: [
    ...['payee', 'counterparty', 'counterparty name', 'beneficiary', 'empfanger'],
    ...['zahlungsempfanger', 'zahlungsempfanger*in', 'auftraggeber/empfanger'],
    ...['auftraggeber / begunstigter', 'beguenstigter/zahlungspflichtiger'],
    ...['name zahlungsbeteiligter', 'tegenrekeninghouder', 'tegenpartij', 'naam tegenpartij'],
    ...['naam / omschrijving', 'handelaar', 'naam', 'tiers', 'contrepartie', 'beneficiaire'],
    ...['beneficiario', 'comercio', 'controparte', 'kontrahent', 'odbiorca', 'nadawca / odbiorca'],
    ...['modtager', 'mottaker', 'mottagare', 'navn', 'namn', 'protistrana', 'nazev protistrany'],
    ...['nazev protiuctu', 'obchodnik', 'name', 'description', 'transaction description'],
    ...['details', 'transaction details', 'payment details', 'narration', 'narrative'],
    ...['particulars', 'label', 'activity', 'text', 'tekst', 'beschreibung', 'buchungstext'],
    ...['omschrijving', 'libelle', 'concepto', 'descripcion', 'causale', 'descrizione', 'opis'],
    ...['opis operacji', 'opis transakcji', 'popis', 'описание', 'описание операции', 'основание'],
    ...['merchant', 'merchant name', 'payee name'],
  ],
  notes: [
    ...['notes', 'note', 'memo', 'comment', 'comments', 'remarks', 'message', 'payment reference'],
    ...['reference', 'verwendungszweck', 'notiz', 'notizen', 'bemerkung', 'mededeling'],
    ...[
      'mededelingen',
      'toelichting',
      'communication',
      'motif',
      'observaciones',
      'note operazione',
    ],
    ...['tytul', 'tytul operacji', 'besked', 'melding', 'meddelande', 'zprava pro prijemce'],
    ...['poznamka', 'комментарий', 'description', 'omschrijving', 'libelle', 'concepto'],
    ...['descrizione', 'opis', 'popis', 'buchungstext'],
  ],
  category: [
    ...['category', 'kategorie', 'categorie', 'categoria', 'kategoria', 'kategori', 'категория'],
    ...['reporting category'],
  ],
  account: [
    ...['account', 'account name', 'account number', 'konto', 'kontoname', 'auftragskonto'],
    ...['rekening', 'rekeningnummer', 'compte', 'cuenta', 'conto', 'rachunek', 'ucet'],
    ...['номер счета'],
  ],
  currency: [
    ...['currency', 'currency code', 'ccy', 'wahrung', 'waehrung', 'valutacode', 'munt'],
    ...['muntsoort', 'devise', 'monnaie', 'monn.', 'moneda', 'divisa', 'waluta', 'mena'],
    ...['валюта', 'валюта счета', 'валюта операции'],
  ],
  external_id: ['external id', 'fitid'],
};

const FOLDED_NAMES = new Map(COLUMN_KEYS.map((key) => [key, HEADER_NAMES[key].map(folded)]));

/**
 * Indexes of the columns whose names are known for a key, preferred first.
 * A name with a trailing part in parentheses, such as `Amount (EUR)`, comes after the name alone.
 */
export function recognised(header: readonly string[], key: ColumnKey): number[] {
  const whole = header.map(folded);
  const withoutUnit = whole.map((name) => name.replace(/ ?\([^()]*\)$/, ''));
  const found = FOLDED_NAMES.get(key)!.flatMap((name) => [
    whole.indexOf(name),
    withoutUnit.indexOf(name),
  ]);
  return [...new Set(found)].filter((index) => index >= 0);
}

/** +1: money in; −1: money out. */
export type Direction = 1 | -1;

const MONEY_OUT = [
  ...['d', 'dr', 'dbit', 'debit', 'debet', 'debito', 'out', 'outflow', 'withdrawal', '-'],
  ...['af', 'uit', 's', 'soll', 'lastschrift', 'belastung', 'cargo', 'adeudo', 'addebito', 'dare'],
  ...['obciążenie', 'udgift', 'výdaj', 'výběr', 'расход', 'списание'],
];
const MONEY_IN = [
  ...['c', 'cr', 'crdt', 'credit', 'credito', 'in', 'inflow', 'deposit', '+', 'bij', 'h', 'haben'],
  ...['gutschrift', 'abono', 'accredito', 'avere', 'uznanie', 'indtægt', 'příjem', 'vklad'],
  ...['приход', 'поступление', 'зачисление'],
];

const DIRECTIONS: ReadonlyMap<string, Direction> = new Map([
  ...MONEY_OUT.map((word) => [folded(word), -1] as const),
  ...MONEY_IN.map((word) => [folded(word), 1] as const),
]);

/** Parses a word for the direction of money, ignoring case and accents; null for any other word. */
export function parseDirection(text: string): Direction | null {
  return DIRECTIONS.get(folded(text)) ?? null;
}

/** Normalizes what banks write in different ways: case, accents, `_`, runs of spaces, a byte order mark. */
function folded(text: string): string {
  const bare = text.normalize('NFD').replace(/[\p{M}\uFEFF]/gu, '');
  return bare
    .toLowerCase()
    .replace(/[łøđßæ]/g, (letter) => UNDECOMPOSED[letter] ?? letter)
    .replace(/[\s_]+/g, ' ')
    .trim();
}
