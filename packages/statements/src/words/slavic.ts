import type { Vocabulary } from './vocabulary.ts';

export const polish: Vocabulary = {
  transactionDate:
    'data operacji|data transakcji|data zakupu|data wykonania|data dokonania transakcji',
  date: 'data|data i godzina|dzień|data zrealizowania|data zakonczenia',
  bookingDate: 'data księgowania|data zaksięgowania|data rozliczenia|data ksiegowania',
  valueDate: 'data waluty|data efektywna|data rozpoczecia',
  accountAmount: 'kwota w walucie rachunku|kwota rozliczeniowa|kwota w walucie konta',
  amount:
    'kwota|kwota operacji|kwota transakcji|suma|wartość|kwota zaksięgowana|kwota transakcji (waluta rachunku)|kwota w',
  debit: 'obciążenia|obciążenie|wydatki|wydatek|wypłata|wypłaty|rozchód|kwota obciążenia|wn',
  credit: 'uznania|uznanie|wpływy|wpływ|wpłata|wpłaty|przychód|kwota uznania|ma|przychody',
  direction:
    'typ|typ transakcji|typ operacji|rodzaj|rodzaj transakcji|rodzaj operacji|strona|obciążenie/uznanie',
  payee:
    'kontrahent|sprzedawca|nazwa sprzedawcy|odbiorca|nadawca / odbiorca|nadawca/odbiorca|nazwa kontrahenta|nazwa odbiorcy|dane kontrahenta|odbiorca/nadawca|nadawca|nazwa nadawcy|odbiorca/zleceniodawca|sklep|beneficjent|dane strony operacji',
  description:
    'opis|opis operacji|opis transakcji|szczegóły|szczegóły transakcji|nazwa|treść|nazwa transakcji|szczegóły operacji|pozycja',
  notes:
    'tytuł|tytuł operacji|tytułem|notatki|notatka|komentarz|uwagi|wiadomość|tytuł płatności|tytuł transakcji|referencje',
  category: 'kategoria|podkategoria',
  tags: 'tagi|etykiety',
  ownAccount: 'rachunek własny|własny rachunek|mój rachunek|moje konto|karta|numer karty',
  payer: 'nadawca|nazwa nadawcy|zleceniodawca|płatnik|nazwa płatnika',
  recipient: 'odbiorca|nazwa odbiorcy|beneficjent|nazwa beneficjenta',
  holder: 'posiadacz|właściciel|właściciel rachunku|imię i nazwisko|posiadacz rachunku',
  account:
    'konto|rachunek|numer rachunku|nazwa konta|numer konta|rachunek nadawcy|nr rachunku|karta|rachunek własny',
  accountCurrency: 'waluta rachunku|waluta konta',
  currency: 'waluta|waluta transakcji|waluta operacji',
  balance:
    'saldo|saldo po operacji|saldo po transakcji|saldo końcowe|saldo rachunku|saldo konta|saldo księgowe',
  status: 'status|stan|stan transakcji',
  fee: 'opłata|prowizja|opłaty|kwota opłaty|oplata',
  moneyOut: 'obciążenie|wydatek|wypłata|wychodzące|wn|wychodzący|rozchod|obciazenie|wyplata',
  moneyIn: 'uznanie|wpływ|wpłata|przychodzące|ma|przychodzący|przychod|wplyw|wplata',
  pending:
    'oczekująca|oczekujące|oczekuje|w toku|w realizacji|blokada|zablokowana|autoryzacja|nierozliczona|nierozliczone|do realizacji|zaplanowana',
  reverted: 'zwrócona|zwrócony|cofnięta|cofnięty|wycofana|zwrot środków',
  declined: 'odrzucona|odrzucony|odrzucone|odmowa|odmówiona|odmowna',
  failed: 'nieudana|nieudany|niezrealizowana|niezrealizowany|błąd|błędna|wygasła|nie powiodła się',
  cancelled: 'anulowana|anulowany|anulowane|usunięta|odwołana',
  balanceLine:
    'saldo początkowe|saldo końcowe|saldo poprzednie|saldo z przeniesienia|saldo do przeniesienia|saldo otwarcia|saldo zamknięcia|saldo na początek okresu|saldo na koniec okresu',
  totalLine:
    'razem|suma|podsumowanie|saldo|suma obciążeń|suma uznań|ogółem|łącznie|suma wpływów|suma wydatków',
  months:
    'styczeń/sty/stycznia|luty/lut/lutego|marzec/mar/marca|kwiecień/kwi/kwietnia|maj/maja|czerwiec/cze/czerwca|lipiec/lip/lipca|sierpień/sie/sierpnia|wrzesień/wrz/września|październik/paź/października|listopad/lis/listopada|grudzień/gru/grudnia',
};

export const czech: Vocabulary = {
  transactionDate:
    'datum transakce|datum operace|datum provedení|datum uskutečnění|datum provedeni|datum nákupu|datum pohybu',
  date: 'datum|den|datum a čas|datum dokončení',
  bookingDate:
    'datum zaúčtování|datum zaučtování|zaúčtováno|datum účtování|datum odepsání|datum zpracování',
  valueDate: 'datum valuty|valuta|datum splatnosti|datum zahájení',
  accountAmount: 'částka v měně účtu|zaúčtovaná částka|zaúčtovaná částka',
  amount: 'částka|objem|suma|hodnota|částka transakce|částka v|částka platby',
  debit: 'výdaj|výdaje|na vrub|debet|odchozí|odchozí částka|má dáti',
  credit: 'příjem|příjmy|ve prospěch|kredit|příchozí|příchozí částka|dal',
  direction: 'typ|směr|směr platby|typ transakce|typ operace|typ pohybu|druh',
  payee:
    'protistrana|název protistrany|název protiúčtu|obchodník|jméno protistrany|název obchodníka|příjemce|plátce/příjemce|název příjemce|obchodní místo|název účtu protistrany',
  description: 'popis|popis transakce|popis operace|název|text|popis příkazu|popis platby',
  notes:
    'poznámka|zpráva pro příjemce|zpráva|poznámky|komentář|moje poznámka|poznámka pro mě|zpráva pro mě|uživatelská identifikace|reference',
  category: 'kategorie',
  tags: 'štítky',
  ownAccount: 'vlastní účet|můj účet|vlastní číslo účtu|číslo karty',
  payer: 'plátce|název plátce|odesílatel|název odesílatele|příkazce',
  recipient: 'příjemce|název příjemce',
  holder: 'jméno|majitel účtu|vlastník účtu|držitel karty',
  account: 'účet|číslo účtu|název účtu|vlastní účet|můj účet|číslo karty',
  accountCurrency: 'měna účtu',
  currency: 'měna|měna transakce|měna částky',
  balance: 'zůstatek|konečný zůstatek|zůstatek po|stav účtu|zůstatek po transakci|účetní zůstatek',
  status: 'stav|status',
  fee: 'poplatek|poplatky',
  moneyOut: 'výdaj|výběr|odchozí|debet|odchozí platba|vydej',
  moneyIn: 'příjem|vklad|příchozí|kredit|příchozí platba',
  pending:
    'čekající|čeká|blokace|blokováno|zpracovává se|nezaúčtováno|ve zpracování|rezervováno|autorizováno|čeká na zpracování|nezúčtovaná',
  reverted: 'vráceno|vrácena|stornováno bankou|vrácená',
  declined: 'zamítnuto|zamítnuta|odmítnuto|odmítnuta|zamítnutá|odmítnutá',
  failed: 'neúspěšná|neúspěšné|neprovedeno|selhalo|chyba|neprovedená|vypršelo',
  cancelled: 'zrušeno|zrušená|storno|stornováno|stornovaná|odvoláno|smazáno',
  balanceLine:
    'počáteční zůstatek|konečný zůstatek|předchozí zůstatek|počáteční stav|konečný stav|převod zůstatku|minulý zůstatek',
  totalLine: 'celkem|součet|mezisoučet|zůstatek|suma|obrat|součet příjmů|součet výdajů',
  months:
    'leden/led/ledna|únor/úno/února|březen/bře/března|duben/dub/dubna|květen/kvě/května|červen/čvn/června|červenec/čvc/července|srpen/srp/srpna|září/zář|říjen/říj/října|listopad/lis/listopadu|prosinec/pro/prosince',
};

export const slovak: Vocabulary = {
  transactionDate: 'dátum transakcie|dátum operácie|dátum vykonania|dátum pohybu|dátum realizácie',
  date: 'dátum|deň|dátum a čas|dátum dokončenia',
  bookingDate: 'dátum zaúčtovania|dátum účtovania|dátum spracovania|zaúčtované',
  valueDate: 'dátum valuty|valuta|dátum splatnosti|dátum začatia',
  amount: 'suma|čiastka|objem|hodnota|suma transakcie|suma v eur',
  debit: 'výdavok|výdavky|na ťarchu|debet|odchádzajúce',
  credit: 'príjem|príjmy|v prospech|kredit|prichádzajúce',
  direction: 'typ|smer|typ transakcie|typ operácie|kredit/debet',
  payee:
    'protistrana|názov protistrany|obchodník|príjemca|názov protiúčtu|názov príjemcu|meno protistrany|partner',
  description: 'popis|popis transakcie|názov|text|popis operácie',
  notes: 'poznámka|správa pre príjemcu|správa|komentár|informácia pre príjemcu|referencia',
  category: 'kategória',
  tags: 'štítky',
  ownAccount: 'môj účet|vlastný účet|číslo karty',
  payer: 'platiteľ|názov platiteľa|odosielateľ|príkazca',
  recipient: 'príjemca|názov príjemcu',
  holder: 'meno|majiteľ účtu|vlastník účtu',
  account: 'účet|číslo účtu|názov účtu|môj účet',
  currency: 'mena|mena účtu|mena transakcie',
  balance: 'zostatok|zostatok po|konečný zostatok|stav účtu|účtovný zostatok',
  status: 'stav|status',
  fee: 'poplatok|poplatky',
  moneyOut: 'výdavok|debet|výber|odchádzajúca|odchádzajúca platba',
  moneyIn: 'príjem|kredit|vklad|prichádzajúca|prichádzajúca platba',
  pending:
    'čakajúca|čaká|blokácia|spracováva sa|nezaúčtovaná|autorizovaná|rezervovaná|v spracovaní',
  reverted: 'vrátená|vrátené',
  declined: 'zamietnutá|zamietnuté|odmietnutá|odmietnuté',
  failed: 'neúspešná|neúspešné|neprevedená|zlyhala|zlyhalo|nevykonaná|chyba',
  cancelled: 'zrušená|zrušené|stornovaná|stornované|storno',
  balanceLine:
    'počiatočný zostatok|konečný zostatok|predchádzajúci zostatok|počiatočný stav|konečný stav|začiatočný zostatok',
  totalLine: 'spolu|súčet|celkom|zostatok|medzisúčet',
  months:
    'január/jan/januára|február/feb/februára|marec/mar/marca|apríl/apr/apríla|máj/mája|jún/júna|júl/júla|august/aug/augusta|september/sep/septembra|október/okt/októbra|november/nov/novembra|december/dec/decembra',
};

/** Croatian, Serbian in Latin letters, Bosnian and Slovenian. */
export const southSlavic: Vocabulary = {
  transactionDate: 'datum transakcije|datum izvršenja|datum prometa|datum kupnje|datum izvršitve',
  date: 'datum|dan',
  bookingDate: 'datum knjiženja|datum obrade|datum knjižbe|datum knjizenja',
  valueDate: 'datum valute|valuta datum|datum valuta',
  amount: 'iznos|znesek|iznos transakcije|suma|iznos u valuti|znesek transakcije',
  debit:
    'isplata|isplate|duguje|terećenje|troškovi|rashod|zaduženje|odliv|breme|isplaćeno|odljev|na teret|dugovni iznos|dugovno|isplaćeni iznos|teret',
  credit:
    'uplata|uplate|potražuje|odobrenje|prihod|prihodi|priliv|dobro|uplaćeno|primitak|priljev|u korist|potražni iznos|potražno|uplaćeni iznos|korist',
  direction: 'tip|vrsta|vrsta transakcije|smjer|smer|tip transakcije|duguje/potražuje|tip prometa',
  payee:
    'primatelj|primalac|primatelj/platitelj|naziv primatelja|platitelj/primatelj|prejemnik|trgovac|naziv partnera|partner|naziv|prodajno mjesto|nalogodavac/primalac|udeleženec|prejemnik / plačnik|komitent|trgovec|nalogodavac',
  description:
    'opis|opis transakcije|opis plaćanja|svrha|svrha plaćanja|namen|opis prometa|detalji|opis stavke',
  notes: 'napomena|bilješka|komentar|poruka|poziv na broj|opomba|namen plačila|referenca|napomene',
  category: 'kategorija',
  tags: 'oznake',
  ownAccount: 'moj račun|vlastiti račun|lastni račun|broj kartice',
  payer: 'platitelj|naziv platitelja|nalogodavac|platilac|plačnik|naziv plačnika',
  recipient: 'primatelj|naziv primatelja|primalac|naziv primaoca|prejemnik|naziv prejemnika',
  holder: 'ime|ime i prezime|vlasnik računa|imetnik računa',
  account: 'račun|broj računa|konto|naziv računa|račun broj|številka računa|partija',
  currency: 'valuta|šifra valute|valuta transakcije|oznaka valute',
  balance:
    'stanje|saldo|stanje računa|stanje nakon transakcije|stanje po transakciji|novo stanje|stanje na računu',
  status: 'status|stanje transakcije',
  fee: 'naknada|provizija|trošak',
  moneyOut: 'isplata|terećenje|duguje|rashod|odliv|zaduženje|breme|odljev',
  moneyIn: 'uplata|odobrenje|potražuje|prihod|priliv|dobro|primitak|priljev',
  pending:
    'na čekanju|u obradi|rezervirano|rezervisano|rezervacija|autorizirano|v obdelavi|neproknjiženo',
  reverted: 'vraćeno|povrat|vraćena',
  declined: 'odbijeno|odbijena|zavrnjeno|zavrnjena',
  failed: 'neuspjelo|neuspješno|neuspelo|neuspešno|greška|neizvršeno|isteklo',
  cancelled: 'otkazano|stornirano|poništeno|otkazana|storno|preklicano',
  balanceLine:
    'početno stanje|završno stanje|prethodno stanje|konačno stanje|prijenos stanja|začetno stanje|končno stanje|krajnje stanje|prenos stanja|staro stanje|novo stanje',
  totalLine: 'ukupno|zbroj|suma|stanje|skupaj|svega|međuzbroj|ukupan promet',
  months:
    'siječanj/sij/siječnja/januar/jan|veljača/velj/veljače/februar/feb|ožujak/ožu/ožujka/mart/mar/marec|travanj/tra/travnja/april/apr|svibanj/svi/svibnja/maj|lipanj/lip/lipnja/jun/juni|srpanj/srp/srpnja/jul/juli|kolovoz/kol/kolovoza/avgust/avg|rujan/ruj/rujna/septembar/sep/sept|listopad/lis/listopada/oktobar/okt|studeni/stu/studenoga/novembar/nov|prosinac/pro/prosinca/decembar/dec',
};

export const russian: Vocabulary = {
  transactionDate:
    'дата операции|дата транзакции|дата совершения операции|дата покупки|дата и время операции|дата проведения',
  date: 'дата|день|дата и время|время',
  bookingDate:
    'дата обработки|дата платежа|дата проводки|дата списания|дата зачисления|дата обработки банком|дата отражения по счету',
  valueDate: 'дата валютирования',
  accountAmount:
    'сумма пересчитанная в валюту счета|сумма в валюте счета|сумма платежа|сумма в валюте карты|сумма в валюте счёта',
  amount:
    'сумма|сумма операции|сумма транзакции|сумма в рублях|сумма в руб|сумма в руб.|величина|стоимость|оборот',
  debit: 'расход|списание|расходы|дебет|списано|расход (списание)|сумма списания|по дебету',
  credit:
    'приход|поступление|зачисление|доход|доходы|поступления|кредит|зачислено|сумма зачисления|приход (зачисление)|по кредиту',
  direction: 'тип|тип операции|вид операции|приход/расход|направление|дебет/кредит|знак',
  payee:
    'контрагент|получатель|плательщик|получатель/плательщик|место совершения|торговая точка|магазин|отправитель/получатель|наименование контрагента|получатель платежа|корреспондент',
  description:
    'описание|описание операции|основание|назначение|название|наименование|детали операции|детали|содержание|операция|назначение операции|расшифровка',
  notes:
    'комментарий|назначение платежа|примечание|сообщение|заметка|заметки|дополнительная информация',
  category: 'категория|подкатегория',
  tags: 'теги|метки',
  ownAccount:
    'карта|номер карты|номер карты/счета/договора|счет/карта|название карты|мой счет|свой счет',
  payer: 'плательщик|наименование плательщика|отправитель|имя отправителя',
  recipient: 'получатель|получатель платежа|наименование получателя|имя получателя',
  holder: 'имя|фио|владелец счета|держатель карты|владелец',
  account:
    'номер счета|счет|карта|номер карты|номер карты/счета/договора|счет/карта|название счета|тип счета|название карты|номер счета/карты|счёт|номер счёта',
  accountCurrency: 'валюта счета|валюта платежа|валюта карты|валюта счёта',
  currency: 'валюта|валюта операции|код валюты',
  balance:
    'остаток|баланс|остаток по счету|остаток средств|исходящий остаток|остаток после операции|остаток на счете',
  status: 'статус|состояние|статус операции',
  fee: 'комиссия|комиссии',
  moneyOut: 'расход|списание|дебет|исходящий|исходящая|снятие|отправлено',
  moneyIn: 'приход|поступление|зачисление|кредит|доход|входящий|входящая|пополнение|получено',
  pending:
    'в обработке|ожидание|ожидает|ожидается|авторизация|авторизовано|обрабатывается|hold|холд|заблокировано|не обработано|в процессе',
  reverted: 'возвращено|возвращен|возвращена|сторно|сторнировано|reversed',
  declined: 'отклонено|отклонен|отклонена|отказ|отказано|отклонён',
  failed: 'ошибка|неуспешно|не выполнено|не исполнено|неуспешная|сбой|failed|не проведено|истекло',
  cancelled: 'отменено|отменен|отменена|аннулировано|отмена|отменён|удалено',
  balanceLine:
    'входящий остаток|исходящий остаток|остаток на начало|остаток на конец|начальный остаток|конечный остаток|остаток на начало периода|остаток на конец периода|начальное сальдо|конечное сальдо|сальдо начальное|сальдо конечное|входящее сальдо|исходящее сальдо|остаток средств',
  totalLine: 'итого|всего|сумма|остаток|обороты|итог|оборот|обороты за период|итого оборотов',
  months:
    'январь/янв/января|февраль/фев/февраля|март/мар/марта|апрель/апр/апреля|май/мая|июнь/июн/июня|июль/июл/июля|август/авг/августа|сентябрь/сен/сент/сентября|октябрь/окт/октября|ноябрь/ноя/нояб/ноября|декабрь/дек/декабря',
};

/** Ukrainian, Bulgarian and Serbian in Cyrillic letters. */
export const ukrainian: Vocabulary = {
  transactionDate:
    'дата операції|дата транзакції|дата i час операції|дата і час операції|дата на транзакция|датум трансакције',
  date: 'дата|дата та час|датум|дата і час|дата и час|дата на операцията|дата/час',
  bookingDate:
    'дата проведення|дата обробки|дата на осчетоводяване|датум књижења|дата списання|вальор|дата на вальор',
  valueDate: 'дата валютування|вальор|датум валуте',
  accountAmount:
    'сума в валюті картки (uah)|сума у валюті картки|сума в валюті картки|сума у валюті рахунку|сума в валюті рахунку',
  amount:
    'сума|сума операції|сума транзакції|сума в валюті операції|сума у валюті транзакції|износ|стойност|размер',
  debit:
    'витрата|видаток|витрати|списання|дебет|видатки|исплата|дуговни|задужење|разход|дебит|задължение|изходящи',
  credit:
    'надходження|зарахування|прихід|дохід|кредит|надходження коштів|уплата|потражни|одобрење|приход|постъпление|входящи',
  direction: 'тип|тип операції|вид операції|дебет/кредит|вид',
  payee:
    'контрагент|одержувач|отримувач|платник|отримувач/платник|торговець|контрагент/получател|прималац|наредител/получател|кореспондент|наименование на контрагент',
  description:
    'опис|опис операції|призначення|деталі операції|назва|деталі|описание на транзакцията|опис трансакције|пояснение|описание|основание|описание на операцията',
  notes: 'коментар|призначення платежу|примітка|повідомлення|сврха|основание за плащане',
  category: 'категорія|категория',
  tags: 'теги|мітки',
  ownAccount: 'наш рахунок|наш iban|мій рахунок|власний рахунок|картка|номер картки',
  payer: 'платник|відправник|наредител|платец',
  recipient: 'одержувач|отримувач|получател|прималац',
  holder: "ім'я|піб|власник рахунку|титуляр|власник",
  account: 'наш рахунок|наш iban|рахунок|номер рахунку|картка|номер картки|сметка|рачун',
  accountCurrency: 'валюта картки|валюта рахунку',
  currency: 'валюта|валюта операції|валюта транзакції|валута',
  balance:
    'залишок|баланс|залишок після операції|залишок на кінець періоду|салдо|стање|наличност|залишок на картці|стање након|крайно салдо|наличност след операцията',
  status: 'статус|стан',
  fee: 'комісія|комісії|сума комісій (uah)|сума комісій|такса|провизија',
  moneyOut: 'витрата|списання|видаток|дебет|дт|разход',
  moneyIn: 'надходження|зарахування|прихід|кредит|кт|приход',
  pending: 'в обробці|очікує|очікується|заблоковано|авторизація|чакаща|на чекању|у обробці',
  reverted: 'повернено|повернуто|сторно|върната',
  declined: 'відхилено|відмовлено|відмова|отказана|одбијено',
  failed: 'помилка|неуспішно|не виконано|невдала|неуспешна|неуспело',
  cancelled: 'скасовано|анульовано|скасована|отказано|поништено|сторнирано',
  balanceLine:
    'вхідний залишок|вихідний залишок|початковий залишок|кінцевий залишок|залишок на початок|залишок на кінець|начално салдо|крайно салдо|почетно стање|крајње стање|залишок на початок періоду',
  totalLine: 'разом|всього|усього|підсумок|общо|всичко|укупно|итого',
  months:
    'січень/січ/січня/януари/яну/јануар|лютий/лют/лютого/февруари/фев/фебруар|березень/бер/березня/март|квітень/кві/квітня/април|травень/тра/травня/май/мај|червень/чер/червня/юни/јун|липень/лип/липня/юли/јул|серпень/сер/серпня/август/авг|вересень/вер/вересня/септември/сеп|жовтень/жов/жовтня/октомври/окт|листопад/лис/листопада/ноември/ное|грудень/гру/грудня/декември/дек',
};
