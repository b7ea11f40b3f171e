import type { Vocabulary } from '../vocabulary.ts';

export const danish: Vocabulary = {
  transactionDate: 'transaktionsdato|købsdato|dato for transaktion',
  date: 'dato|dato og tid|afslutningsdato|gennemført dato',
  bookingDate: 'bogføringsdato|bogført|bogført dato|posteringsdato|bogføringsdag',
  valueDate: 'valørdato|rentedato|valør|valuteringsdato|startdato',
  amount: 'beløb|beløb i|transaktionsbeløb|beløb (dkk)|bevægelse',
  debit: 'udgift|udgifter|ud|hævet|debet|træk|udbetaling|hævninger',
  credit: 'indtægt|indtægter|ind|indsat|kredit|indbetaling|indbetalinger',
  direction: 'type|debet/kredit|ind/ud',
  payee: 'modtager|modtagers navn|navn|modpart|forretning|butik|afsender/modtager',
  description: 'tekst|beskrivelse|posteringstekst|titel|transaktion|postering',
  notes: 'besked|meddelelse|note|noter|kommentar|egen note|bemærkning',
  category: 'kategori|underkategori|hovedkategori',
  tags: 'mærker|etiketter',
  account: 'konto|kontonummer|kontonr|kontonr.|kontonavn|egen konto',
  currency: 'valuta|møntenhed',
  balance: 'saldo|saldo efter|ny saldo|aktuel saldo|bogført saldo',
  status: 'status',
  fee: 'gebyr|gebyrer',
  moneyOut: 'udgift|ud|debet|hævet|hævning',
  moneyIn: 'indtægt|ind|kredit|indsat|indbetaling',
  pending: 'afventer|reserveret|ikke bogført|under behandling|venter|kommende',
  reverted: 'tilbageført',
  declined: 'afvist|nægtet',
  failed: 'mislykket|mislykkedes|fejlet|ikke gennemført|ikke udført|udløbet',
  cancelled: 'annulleret|slettet|tilbagekaldt',
  balanceLine:
    'primosaldo|ultimosaldo|saldo primo|saldo ultimo|startsaldo|slutsaldo|overført saldo|indgående saldo|udgående saldo',
  totalLine: 'i alt|total|sum|saldo|subtotal',
  months:
    'januar/jan|februar/feb|marts/mar|april/apr|maj|juni/jun|juli/jul|august/aug|september/sep/sept|oktober/okt|november/nov|december/dec',
};

export const norwegian: Vocabulary = {
  transactionDate: 'transaksjonsdato|kjøpsdato|utført dato',
  date: 'dato|fullført dato',
  bookingDate: 'bokført dato|bokføringsdato|bokført|bokføringsdag',
  valueDate: 'rentedato|valuteringsdato|valutadato|startdato',
  amount: 'beløp|beløp i nok|beløp i|transaksjonsbeløp|sum',
  debit:
    'ut|ut av konto|ut fra konto|belastet|uttak|debet|utgift|utgifter|beløp ut|uttak fra konto',
  credit:
    'inn|inn på konto|inn til konto|godskrevet|innskudd|kredit|inntekt|inntekter|beløp inn|innskudd på konto',
  direction: 'type|transaksjonstype|retning|inn/ut',
  payee: 'mottaker|mottakernavn|navn|motpart|butikk|betalt til|mottaker/avsender|fra/til|avsender',
  description:
    'tekst|beskrivelse|forklaring|forklarende tekst|transaksjonstekst|tittel|transaksjon',
  notes: 'melding|notat|kommentar|merknad|kid/melding|egne notater',
  category: 'kategori|underkategori',
  tags: 'merkelapper|etiketter',
  account: 'konto|kontonummer|kontonavn|fra konto|bokføringskonto',
  currency: 'valuta|valutakode',
  balance: 'saldo|ny saldo|saldo etter',
  status: 'status',
  fee: 'gebyr|gebyrer|omkostninger',
  moneyOut: 'ut|belastet|uttak|debet|utgift',
  moneyIn: 'inn|godskrevet|innskudd|kredit|inntekt',
  pending: 'reservert|venter|ikke bokført|under behandling|til behandling|avventer',
  reverted: 'tilbakeført|reversert',
  declined: 'avvist|nektet|avslått',
  failed: 'mislykket|feilet|ikke gjennomført|ikke utført|utløpt',
  cancelled: 'kansellert|annullert|avbrutt|slettet',
  balanceLine: 'inngående saldo|utgående saldo|startsaldo|sluttsaldo|overført saldo|saldo overført',
  totalLine: 'totalt|sum|total|saldo|delsum',
  months:
    'januar/jan|februar/feb|mars/mar|april/apr|mai|juni/jun|juli/jul|august/aug|september/sep/sept|oktober/okt|november/nov|desember/des',
};

export const swedish: Vocabulary = {
  transactionDate: 'transaktionsdatum|transaktionsdag|köpdatum|inköpsdatum|inköpsdag|affärsdag',
  date: 'datum|dag|slutfört datum|slutdatum',
  bookingDate:
    'bokföringsdag|bokföringsdatum|bokförd|bokfört|bokföringsdag/datum|bokfört datum|reskontradatum',
  valueDate: 'valutadag|valutadatum|räntedatum|valuteringsdag|startdatum',
  amount:
    'belopp|belopp i sek|summa|transaktionsbelopp|insättning/uttag|insättningar/uttag|belopp i|belopp sek',
  debit: 'uttag|utgift|utgifter|ut|debet|uttaget|utbetalning|köp',
  credit: 'insättning|insättningar|inkomst|inkomster|in|kredit|insatt|inbetalning',
  direction: 'typ|transaktionstyp|debet/kredit|in/ut',
  payee:
    'mottagare|mottagarnamn|namn|motpart|avsändare/mottagare|butik|specifikation|mottagare/avsändare|inköpsställe|betalare|mottagare/betalare',
  description:
    'text|beskrivning|transaktion|rubrik|text/mottagare|transaktionstext|händelse|referens|titel',
  notes: 'meddelande|anteckning|notering|kommentar|anteckningar|egen anteckning',
  category: 'kategori|underkategori',
  tags: 'etiketter|taggar',
  account: 'konto|kontonummer|kontonamn|från konto|clearingnummer och konto',
  currency: 'valuta|valutakod|ursprungsvaluta',
  balance: 'saldo|bokfört saldo|disponibelt saldo|nytt saldo|saldo efter',
  status: 'status|tillstånd',
  fee: 'avgift|avgifter',
  moneyOut: 'uttag|utgift|ut|debet|köp',
  moneyIn: 'insättning|inkomst|in|kredit',
  pending:
    'reserverad|reserverat|väntande|preliminär|preliminärt|ej bokförd|pågående|under behandling|kommande',
  reverted: 'återförd|återbetald',
  declined: 'nekad|avvisad|avböjd|avslagen',
  failed: 'misslyckad|misslyckades|ej genomförd|ej utförd|utgången',
  cancelled: 'avbruten|annullerad|makulerad|borttagen|återkallad',
  balanceLine:
    'ingående saldo|utgående saldo|startsaldo|slutsaldo|ingående balans|utgående balans|överfört saldo',
  totalLine: 'summa|totalt|total|delsumma|saldo|summa insättningar|summa uttag',
  months:
    'januari/jan|februari/feb|mars/mar|april/apr|maj|juni/jun|juli/jul|augusti/aug|september/sep/sept|oktober/okt|november/nov|december/dec',
};

export const finnish: Vocabulary = {
  transactionDate: 'maksupäivä|tapahtumapäivä|ostopäivä|tapahtumapvm|suorituspäivä',
  date: 'päivä|päivämäärä|pvm|päiväys|pvm.|päättymispäivä|valmistumispäivä',
  bookingDate: 'kirjauspäivä|kirjauspvm|kirjattu|kirjauspäivämäärä',
  valueDate: 'arvopäivä|arvopvm|aloituspäivä',
  amount: 'määrä|määrä euroa|summa|euromäärä|rahamäärä|määrä eur|tapahtuman määrä',
  debit: 'veloitus|otto|otot|menot|meno|tililtä otto|tililtä',
  credit: 'hyvitys|pano|panot|tilille pano|tulot|tulo|tilille|tilillepano',
  direction: 'tyyppi|laji|tapahtumatyyppi|pano/otto',
  payee:
    'saaja|saaja/maksaja|saajan nimi|maksaja|nimi|saaja / maksaja|vastapuoli|maksun saaja|otsikko|maksunsaaja',
  description: 'selitys|kuvaus|tapahtuma|selite|teksti',
  notes: 'viesti|viite|huomautus|muistiinpano|viesti/viite|kommentti',
  category: 'kategoria|luokka',
  tags: 'tunnisteet|avainsanat',
  account: 'tili|tilinumero|tilin nimi|oma tili|saajan tilinumero ja pankin bic',
  currency: 'valuutta|valuuttakoodi',
  balance: 'saldo|tilin saldo|uusi saldo',
  status: 'tila',
  fee: 'palvelumaksu|kulut|palkkio',
  moneyOut: 'otto|veloitus|meno|tililtä',
  moneyIn: 'pano|hyvitys|tulo|tilille',
  pending: 'odottaa|varattu|katevaraus|vireillä|käsittelyssä|avoin|tuleva',
  reverted: 'palautettu|peruutettu tapahtuma',
  declined: 'hylätty|evätty',
  failed: 'epäonnistunut|epäonnistui|vanhentunut',
  cancelled: 'peruutettu|peruttu|mitätöity|poistettu',
  balanceLine:
    'alkusaldo|loppusaldo|aloitussaldo|edellinen saldo|saldo kauden alussa|saldo kauden lopussa',
  totalLine: 'yhteensä|saldo|välisumma',
  months:
    'tammikuu/tammi/tammikuuta|helmikuu/helmi/helmikuuta|maaliskuu/maalis/maaliskuuta|huhtikuu/huhti/huhtikuuta|toukokuu/touko/toukokuuta|kesäkuu/kesä/kesäkuuta|heinäkuu/heinä/heinäkuuta|elokuu/elo/elokuuta|syyskuu/syys/syyskuuta|lokakuu/loka/lokakuuta|marraskuu/marras/marraskuuta|joulukuu/joulu/joulukuuta',
};
