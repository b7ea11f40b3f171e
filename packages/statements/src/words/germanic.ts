import type { Vocabulary } from './vocabulary.ts';

export const english: Vocabulary = {
  transactionDate:
    'transaction date|trans date|trans. date|txn date|tran date|date of transaction|operation date|purchase date|transaction date/time|transaction time|transaction datetime|started date|date initiated|effective date',
  date: 'date|datetime|date time|date/time|timestamp|created|created utc|created at|time|day|entry date|record date|transaction date (utc)|date (utc)|created (utc)|date occurred',
  bookingDate:
    'booking date|booked date|posted date|posting date|post date|date posted|date processed|process date|processed date|completed date|settled date|settlement date|clearing date|date finished|finished on|run date|booking',
  valueDate: 'value date|value dat|value dt|valuta date|date value|interest date',
  accountAmount:
    'amount in account currency|account currency amount|amount in base currency|settled amount|billing amount|amount in card currency|amount in settlement currency|posted amount|amount in local currency',
  amount:
    'amount|transaction amount|amt|tran amount|txn amount|amount (total)|net amount|net|gross amount|gross|value|sum|total amount|money|booking amount|amount in|payment amount|price|change|amount/currency|trans amount|trn amount|transaction value|transaction sum|amount of transaction|purchase amount|amount spent|charge amount|amount charged',
  debit:
    'debit|debits|debit amount|debit amt|debit amt.|debits amount|withdrawal|withdrawals|withdrawal amount|withdrawal amt|withdrawal amt.|withdrawn|money out|paid out|outflow|outgoing|payments|payments out|amount debit|amount debited|dr|dr amount|spent|expense|expenses|outgoings|charges|out|paid|payment out|money spent|debit ($)|debit value|charge|money out amount|debit(s)|withdraw|out amount|amount out|you sent|paid out amount|dr.|debited amount|money debited|outflow amount|sum out',
  credit:
    'credit|credits|credit amount|credit amt|credit amt.|credits amount|deposit|deposits|deposit amount|deposit amt|deposit amt.|deposited|money in|paid in|inflow|incoming|receipts|amount credit|amount credited|cr|cr amount|received|income|incomings|in|payment in|money received|credit ($)|credit value|money in amount|credit(s)|in amount|amount received|you received|cr.|credited amount|money credited|inflow amount|sum in',
  direction:
    'direction|debit/credit|credit/debit|debitcredit|creditdebit|debit or credit|credit or debit|debit / credit|credit / debit|debit credit|credit debit indicator|debit/credit indicator|dr/cr|cr/dr|dr / cr|cr / dr|d/c|c/d|drcr|crdr|dc|cd|transaction type|trans type|txn type|type|sign|details|amount type|cr dr|debit credit indicator',
  payee:
    'payee|payee name|counterparty|counterparty name|counter party|beneficiary|beneficiary name|merchant|merchant name|merchant description|beneficiary or cardholder|recipient|recipient name|sender/recipient|payer/payee|payee/payer|payer or payee|other party|other party name|name / description|vendor|supplier|company|shop|partner name|partner|to/from|from/to|name of counterparty|counter account name|contra account name|receiver|receiver name|beneficiary/remitter|counterparty details|transaction party|opposing account name|target name|source name|destination name|name',
  description:
    'description|transaction description|label|transaction details|transaction narrative|payment details|original description|details|narration|narrative|particulars|activity|text|title|transaction|purpose of payment|transaction remarks|transaction particulars|description 1|description1|appears on your statement as|statement description|full description|item|booking text|transaction text|what|remark|subject|detail|explanation|extended description|original statement|entry|desc|summary|transaction narration|memo/description|descriptions|transaction info|statement text|comment/description|action|security description|transaction detail|memo line|payment description|transfer description|booking details|particular|transaction name|statement narrative|posting text|product|product name|security|security name|instrument',
  notes:
    'notes|note|memo|comment|comments|remarks|message|payment reference|reference|reference text|additional information|additional info|extended details|additional details|details of payment|notes and #tags|purpose|description 2|transfer details|remittance information|reference number|user notes',
  category:
    'category|categories|reporting category|category name|spending category|budget category|sub category',
  tags: 'tags|tag|labels|label(s)|hashtags',
  ownAccount:
    'own account|own account number|my account|my account number|customer account|customer account no|customer account number|client account|client account number|account/card|pot name|wallet|card number|card no.|card no|card|statement account',
  payer:
    'payer|payer name|payor|payor name|sender|sender name|remitter|remitter name|originator|originator name|debtor|debtor name|ordering party|ordering customer|from|from name|source name|paid by',
  recipient:
    'payee|payee name|beneficiary|beneficiary name|recipient|recipient name|receiver|receiver name|creditor|creditor name|to|to name|destination name|target name|paid to',
  holder:
    'name|account holder|account holder name|account owner|account owner name|holder|holder name|owner|owner name|cardholder|cardholder name|card holder|card member|customer name|client name|name on card|member name',
  account:
    'account|account name|account number|account no|account no.|account #|account id|iban|own account|from account|account iban|wallet|account/card|pot name|card number|card no.|card no|card|client account|own account number|source account|bank account|bank account number',
  accountCurrency:
    'account currency|currency of account|card currency|billing currency|settlement currency|posted currency',
  currency:
    'currency|currency code|ccy|curr|curr.|cur|transaction currency|amount currency|currency symbol|currency (iso)|iso currency code|booking currency',
  balance:
    'balance|running balance|runningbalance|running bal|running bal.|account balance|closing balance|available balance|balance after|balance after transaction|new balance|ledger balance|current balance|bal|balance amount|balance (after)|balance amt|resulting balance|end balance|ending balance|cash balance|book balance|balance total|total balance|closing bal|account running balance|post balance|remaining balance|balance remaining|running total',
  status:
    'status|state|transaction status|transaction state|payment status|booking status|txn status|current status',
  fee: 'fee|fees|fee amount|transaction fee|commission|total fee|total fees|charges and fees|amount (fee)|fee charged',
  moneyOut:
    'd|dr|dbit|debit|debits|out|outflow|outgoing|withdrawal|withdraw|-|expense|expenses|money out|paid out|sent|send|spend|dr.|debited|payment out|(-)dr|purchase|outbound|dbt',
  moneyIn:
    'c|cr|crdt|credit|credits|in|inflow|incoming|deposit|+|income|money in|paid in|received|receive|cr.|credited|payment in|(+)cr',
  cardPayment:
    'payment - thank|payment thank|payment, thank|thank you for your payment|payment received|payment recd|your payment|payment/credit',
  pending:
    'pending|authorised|authorized|authorisation|authorization|in progress|processing|on hold|held|hold|reserved|uncleared hold|not booked|unposted|awaiting|in process|outstanding|unsettled|pending settlement|info|scheduled|preauthorized|pre-authorised',
  reverted: 'reverted|reversed|reversal|refused and reversed|rolled back|returned|charged back',
  declined:
    'declined|denied|rejected|refused|not approved|unauthorized|unauthorised|blocked|disapproved',
  failed:
    'failed|failure|error|unsuccessful|not completed|incomplete|expired|timed out|fail|not executed|aborted|failed payment',
  cancelled:
    'cancelled|canceled|voided|void|deleted|annulled|withdrawn|cancelled by user|canceled by user|removed|revoked',
  balanceLine:
    'opening balance|closing balance|balance brought forward|brought forward|balance carried forward|carried forward|balance forward|balance b/f|balance c/f|b/f|c/f|beginning balance|ending balance|start balance|end balance|initial balance|final balance|previous balance|balance at start of period|balance at end of period|balance at beginning of period|starting balance|statement opening balance|statement closing balance|opening bal|closing bal|balance brought fwd|balance carried fwd|daily balance|day balance|balance of the day|available balance|ledger balance|last statement balance',
  totalLine:
    'total|totals|subtotal|sub total|grand total|sum|balance|new balance|total credits|total debits|total debit|total credit|statement summary|summary|end of file|end of report|end of statement|total amount|total withdrawals|total deposits|turnover|total charges|total payments|total transactions|transactions total|total transaction|grand totals|page total',
  months:
    'january/jan|february/feb|march/mar|april/apr|may|june/jun|july/jul|august/aug|september/sep/sept|october/oct|november/nov|december/dec',
  spentAmount: 'purchase amount|amount spent|charge amount|amount charged',
};

export const german: Vocabulary = {
  transactionDate:
    'transaktionsdatum|umsatzdatum|umsatztag|belegdatum|kaufdatum|transaktionszeit|einkaufsdatum|datum der transaktion|abschlussdatum',
  date: 'datum|tag|zeitpunkt|datum/zeit|datum und uhrzeit|erstellt am|datum des abschlusses|datum der fertigstellung|abschlussdatum|fertigstellungsdatum',
  bookingDate:
    'buchung|buchungstag|buchungsdatum|gebucht am|bu.tag|buchungszeitpunkt|verbuchungsdatum|buchungs-datum|buchungs-tag',
  valueDate:
    'wertstellung|wertstellungstag|wertstellung (valuta)|valutadatum|valuta|wert|valuta-datum|wertstellungsdatum|wertdatum|datum des beginns|startdatum',
  accountAmount:
    'betrag in kontowahrung|kontobetrag|abrechnungsbetrag|betrag in abrechnungswahrung|buchungsbetrag',
  amount:
    'betrag|umsatz|summe|betrag in wahrung|umsatzbetrag|transaktionsbetrag|einzelbetrag|brutto|netto|betrag in|zahlbetrag|umsatz in|wert in|anderung|buchungswert',
  debit:
    'soll|lastschrift|belastung|belastungen|ausgabe|ausgaben|ausgang|auszahlung|auszahlungen|abgang|belastungsbetrag|zahlungsausgang|lastschriften',
  credit:
    'haben|gutschrift|gutschriften|einnahme|einnahmen|eingang|einzahlung|einzahlungen|zugang|gutschriftsbetrag|zahlungseingang',
  direction:
    'soll/haben|s/h|haben/soll|soll-haben|soll/haben-kennzeichen|sollhaben|umsatztyp|transaktionstyp|umsatzart|vorzeichen|typ|art|richtung|buchungsart|s/h-kz|kennzeichen',
  payee:
    'empfanger|zahlungsempfanger|zahlungsempfanger*in|zahlungsempfanger:in|auftraggeber/empfanger|auftraggeber / begunstigter|auftraggeber/begunstigter|beguenstigter/zahlungspflichtiger|begunstigter/zahlungspflichtiger|name zahlungsbeteiligter|beguenstigter/auftraggeber|zahlungsbeteiligter|name des partners|partnername|partner name|gegenpartei|handler|zahlungspflichtiger|empfanger/auftraggeber|auftraggeber|kontoinhaber gegenkonto|handelspartner|zahlungspartner|name gegenkonto|begunstigter|empfangername|empfanger/zahlungspflichtiger|empfanger / zahlungspflichtiger|partner|handlername|geschaft|inhaber|personenname|kontoinhaber',
  description:
    'beschreibung|buchungstext|vorgang|text|umsatztext|transaktion|buchungsinformation|buchungsdetails|bezeichnung|umsatzinformation|transaktionsbeschreibung|vorgang/verwendungszweck|titel|avisierungstext|details|transaktionsdetails|buchungs-details|umsatzbeschreibung|zahlungsgrund',
  notes:
    'verwendungszweck|notiz|notizen|bemerkung|bemerkungen|kommentar|anmerkung|mitteilung|referenz|zahlungsreferenz|beschreibung1|beschreibung2|beschreibung3|zusatzinfo|fussnoten',
  category: 'kategorie|hauptkategorie|unterkategorie',
  tags: 'schlagworte|schlagwort|etiketten|markierungen',
  ownAccount:
    'auftragskonto|iban auftragskonto|bezeichnung auftragskonto|eigenes konto|eigene iban|eigene kontonummer|mein konto|kreditkarte|referenzkonto|depot|karte|kartennummer|kreditkartennummer|iban des auftragskontos|iban kontoinhaber|iban (eigenes konto)',
  payer:
    'auftraggeber|auftraggeber*in|auftraggeber:in|name auftraggeber|zahlungspflichtiger|zahlungspflichtige*r|zahlungspflichtige:r|zahlungspflichtige(r)|zahlungspflichtige|name zahlungspflichtiger|absender|absender*in|absendername|zahler|zahler*in|schuldner|von',
  recipient:
    'empfanger|empfanger*in|empfanger:in|empfangername|name empfanger|zahlungsempfanger|zahlungsempfanger*in|zahlungsempfanger:in|zahlungsempfanger(in)|name zahlungsempfanger|begunstigter|begunstigte*r|name begunstigter|glaubiger|an',
  holder:
    'name|inhaber|kontoinhaber|kontoinhaber*in|name kontoinhaber|karteninhaber|personenname|name des kontoinhabers',
  account:
    'konto|kontoname|auftragskonto|iban auftragskonto|kontonummer|kontobezeichnung|eigenes konto|kreditkarte|referenzkonto|bezeichnung auftragskonto|depot|karte|kartennummer|konto-nr.|konto-nr|kontonr.|kontonr|konto nr.|kto.-nr.|kto-nr.|kto nr.',
  accountCurrency: 'kontowahrung|abrechnungswahrung',
  currency: 'wahrung|waehrung|whrg|whg|wahr.|wahrungscode|buchungswahrung|iso-code',
  balance:
    'saldo|kontostand|saldo nach buchung|neuer saldo|saldo in|neuer kontostand|laufender saldo|guthaben|saldo nach umsatz',
  status: 'status|zustand|buchungsstatus|transaktionsstatus|umsatzstatus|stand',
  fee: 'gebuhr|gebuhren|entgelt|spesen|provision|kosten',
  moneyOut:
    's|soll|lastschrift|belastung|ausgang|ausgabe|auszahlung|abgang|gesendet|zahlungsausgang|ausgehend|ausgaben|abbuchung|auszahlungen',
  moneyIn:
    'h|haben|gutschrift|eingang|einnahme|einzahlung|zugang|empfangen|zahlungseingang|eingehend|einnahmen|gutschriften|einzahlungen',
  cardPayment:
    'zahlung dankend|zahlung erhalten|ihre zahlung|einzahlung dankend|danke fur ihre zahlung|zahlung, danke',
  pending:
    'vorgemerkt|umsatz vorgemerkt|ausstehend|offen|in bearbeitung|reserviert|vormerkung|nicht gebucht|noch nicht gebucht|autorisiert|angekundigt|schwebend|vorgemerkte umsatze|umsatz angekundigt',
  reverted:
    'ruckgangig gemacht|ruckgebucht|zuruckgebucht|rucklastschrift|ruckabgewickelt|zuruckgegeben',
  declined: 'abgelehnt|verweigert|zuruckgewiesen|nicht genehmigt|gesperrt',
  failed:
    'fehlgeschlagen|gescheitert|nicht ausgefuhrt|fehler|abgelaufen|fehlerhaft|nicht erfolgreich',
  cancelled: 'storniert|storno|abgebrochen|widerrufen|geloscht|annulliert',
  balanceLine:
    'anfangsbestand|endbestand|anfangssaldo|endsaldo|schlusssaldo|schlussaldo|saldovortrag|saldo vortrag|ubertrag|saldoubertrag|alter saldo|neuer saldo|alter kontostand|neuer kontostand|kontostand am|eroffnungssaldo|abschlusssaldo|tagessaldo|kontostand|letzter kontostand|anfangsguthaben|endguthaben|startsaldo|saldo der abgeschlossenen buchungen|vortrag',
  totalLine:
    'summe|gesamt|gesamtsumme|zwischensumme|total|gesamtumsatzsumme|saldo|umsatzsumme|summe belastungen|summe gutschriften|summe soll|summe haben|gesamtbetrag|total belastungen|total gutschriften|disclaimer|umsatztotal|total umsatz|umsatz total',
  months:
    'januar/jan/janner/jan|februar/feb/feber|marz/mrz/mar/maerz|april/apr|mai|juni/jun|juli/jul|august/aug|september/sep/sept|oktober/okt|november/nov|dezember/dez',
};

export const dutch: Vocabulary = {
  transactionDate:
    'datum verrichting|datum transactie|transactiedatum|uitvoeringsdatum|aankoopdatum',
  date: 'datum|dag|datum/tijd|tijdstip|datum voltooid|voltooiingsdatum|einddatum',
  bookingDate:
    'boekdatum|boekingsdatum|datum verrekening|verwerkingsdatum|journaaldatum|datum boeking',
  valueDate: 'valutadatum|rentedatum|datum valuta|valuta datum|startdatum',
  accountAmount: 'bedrag in rekeningvaluta',
  amount:
    'bedrag|bedrag in|bedrag (eur)|transactiebedrag|bedrag bij/af|bruto|netto|mutatiebedrag|omzetbedrag|mutatie',
  debit: 'debet|uitgaven|uitgave|af|afschrijving|uit|debetbedrag|bedrag af|afgeschreven',
  credit: 'inkomsten|bij|bijschrijving|bijgeschreven|creditbedrag|bedrag bij|ontvangsten',
  direction:
    'af bij|af/bij|bij/af|debet/credit|debetcredit|creditdebet|credit/debet|soort|mutatiesoort',
  payee:
    'tegenrekeninghouder|tegenpartij|naam tegenpartij|naam tegenrekening|naam tegenpartij bevat|naam / omschrijving|handelaar|naam|begunstigde|ontvanger|naam ontvanger|naam begunstigde|opdrachtgever|winkel',
  description:
    'omschrijving|omschrijving-1|transactieomschrijving|beschrijving|details|detail|verrichting|mutatie|transactieinfo|vrije tekst|type verrichting|beskrywing|beskrywing1|besonderhede',
  notes:
    'mededeling|mededelingen|toelichting|opmerking|opmerkingen|omschrijving-2|omschrijving-3|notitie|vrije mededeling|kenmerk|betalingskenmerk|beskrywing2',
  category: 'categorie|rubriek',
  tags: 'trefwoorden|labels',
  ownAccount:
    'iban/bban|eigen rekening|eigen rekeningnummer|mijn rekening|eigen iban|kredietkaart|kaartnummer',
  payer: 'opdrachtgever|naam opdrachtgever|betaler|naam betaler|afzender|naam afzender',
  recipient: 'begunstigde|naam begunstigde|ontvanger|naam ontvanger',
  holder: 'naam|rekeninghouder|naam rekeninghouder|kaarthouder|eigenaar',
  account:
    'rekening|rekeningnummer|iban/bban|naam rekening|rekeningnaam|eigen rekening|kredietkaart|van rekening',
  accountCurrency: 'rekeningvaluta',
  currency: 'valutacode|munt|muntsoort|muntcode|valuta',
  balance:
    'saldo|saldo na trn|saldo na mutatie|eindsaldo|saldo na transactie|nieuw saldo|saldo na boeking|saldo na verrichting|saldo rekening',
  status: 'status|toestand',
  fee: 'kosten|kosten op verrichting|provisie|vergoeding|toeslag',
  moneyOut: 'af|uit|debet|d|uitgaven|afschrijving',
  moneyIn: 'bij|c|credit|inkomsten|bijschrijving|ontvangst',
  cardPayment: 'betaling ontvangen|dank voor uw betaling|uw betaling',
  pending: 'in behandeling|gereserveerd|reservering|openstaand|nog te verwerken|in afwachting',
  reverted: 'teruggeboekt|teruggedraaid|gestorneerd',
  declined: 'geweigerd|afgewezen|afgekeurd',
  failed: 'mislukt|niet uitgevoerd|verlopen|fout',
  cancelled: 'geannuleerd|ingetrokken|vervallen|verwijderd',
  balanceLine:
    'beginsaldo|eindsaldo|openingssaldo|slotsaldo|vorig saldo|nieuw saldo|oud saldo|saldo begin|saldo einde|overgebracht saldo|over te brengen',
  totalLine: 'totaal|subtotaal|totaal bij|totaal af|eindtotaal',
  months:
    'januari/jan|februari/feb|maart/mrt|april/apr|mei|juni/jun|juli/jul|augustus/aug|september/sep/sept|oktober/okt|november/nov|december/dec',
};
