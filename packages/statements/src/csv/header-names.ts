import { COLUMN_KEYS, type ColumnKey } from '../column-map.ts';
import { folded } from './folded.ts';

/**
 * Header names that are recognised without a map, by what their column holds; the first that a header has is taken.
 * Case, accents, `_` for a blank and a unit in parentheses behind the name do not count.
 * Where several columns could be the date: the day of the transaction, then a plain date, then the day of booking,
 * then the day of value. A plain `id` is no external id: row numbers of two files would collide.
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
  // Taken only if every cell of the column is a word of the list in directions.ts.
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
 * The columns of a header whose names are known for a key, by index, the preferred one first.
 * A name that is known but for a last part in parentheses, such as `Amount (EUR)`, comes behind the name alone.
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
