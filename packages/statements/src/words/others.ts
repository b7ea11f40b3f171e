import type { Vocabulary } from './vocabulary.ts';

export const hungarian: Vocabulary = {
  transactionDate:
    'tranzakció dátuma|tranzakció időpontja|tranzakció ideje|művelet dátuma|vásárlás dátuma|tranzakciódátum',
  date: 'dátum|nap|időpont|teljesítés dátuma|befejezés dátuma',
  bookingDate:
    'könyvelés dátuma|könyvelés napja|könyvelési dátum|terhelés dátuma|könyvelve|könyvelés időpontja',
  valueDate: 'értéknap|értékdátum|kezdés dátuma|kezdési dátum',
  amount: 'összeg|tranzakció összege|érték|forgalom|terhelés/jóváírás|könyvelt összeg',
  debit: 'terhelés|kiadás|kiadások|tartozik|kifizetés|terhelések',
  credit: 'jóváírás|bevétel|bevételek|követel|befizetés|jóváírások',
  direction: 'típus|irány|tranzakció típusa|terhelés vagy jóváírás|előjel|t/j',
  payee:
    'partner|partner neve|kedvezményezett|ellenoldali név|kereskedő|partner név|ellenpartner neve|kedvezményezett neve|bolt',
  description: 'leírás|megnevezés|tranzakció leírása|szöveg|tétel|részletek|forgalom típusa',
  notes: 'közlemény|megjegyzés|jegyzet|üzenet|hivatkozás',
  category: 'kategória|költési kategória',
  tags: 'címkék|címke',
  ownAccount: 'könyvelési számla|saját számla|saját számlaszám|kártyaszám',
  payer: 'feladó|fizető fél|fizető|küldő|küldő neve|megbízó',
  recipient: 'fogadó|fogadó neve|kedvezményezett|kedvezményezett neve|címzett|címzett neve',
  holder: 'név|számlatulajdonos|számlatulajdonos neve',
  account: 'számla|számlaszám|számlanév|számla neve|könyvelési számla|számla szám',
  currency: 'devizanem|pénznem|deviza|könyvelési devizanem',
  balance:
    'egyenleg|könyvelt egyenleg|záró egyenleg|új egyenleg|egyenleg a tranzakció után|könyv szerinti egyenleg',
  status: 'állapot|státusz',
  fee: 'díj|jutalék|költség|díjak',
  moneyOut: 'terhelés|kiadás|t|tartozik|kimenő',
  moneyIn: 'jóváírás|bevétel|j|követel|bejövő',
  pending:
    'függőben|függő|foglalás|zárolt|zárolás|folyamatban|feldolgozás alatt|könyveletlen|engedélyezett',
  reverted: 'visszavonva|visszatérített|visszafordított',
  declined: 'elutasítva|elutasított|megtagadva',
  failed: 'sikertelen|meghiúsult|hiba|nem teljesült|lejárt',
  cancelled: 'törölve|törölt|sztornó|stornó|visszavont|sztornózva',
  balanceLine:
    'nyitó egyenleg|záró egyenleg|előző egyenleg|nyitóegyenleg|záróegyenleg|időszak eleji egyenleg|időszak végi egyenleg',
  totalLine: 'összesen|egyenleg|végösszeg|részösszeg|forgalom összesen',
  months:
    'január/jan|február/feb/febr|március/márc/már|április/ápr|május/máj|június/jún|július/júl|augusztus/aug|szeptember/szept/szep|október/okt|november/nov|december/dec',
};

export const turkish: Vocabulary = {
  transactionDate: 'işlem tarihi|i̇şlem tarihi|işlem tarihi ve saati|alışveriş tarihi',
  date: 'tarih|gün|tarih/saat|tarih ve saat|tamamlanma tarihi',
  bookingDate: 'muhasebe tarihi|hesaba geçiş tarihi|kayıt tarihi',
  valueDate: 'valör|valör tarihi|başlangıç tarihi',
  amount: 'tutar|işlem tutarı|miktar|i̇şlem tutarı|tutar (tl)|işlem tutarı (tl)|meblağ',
  debit: 'borç|gider|çıkan|giden|borç tutarı|ödeme|çekilen|çıkış|çıkan tutar',
  credit: 'alacak|gelir|giren|gelen|alacak tutarı|yatan|yatırılan|giriş|giren tutar|yatan tutar',
  direction: 'tür|işlem türü|borç/alacak|tip|işlem tipi|b/a',
  payee:
    'alıcı|karşı taraf|alıcı adı|alıcı/gönderen|üye işyeri|işyeri|karşı hesap adı|gönderen/alıcı|firma',
  description:
    'açıklama|işlem açıklaması|işlem|detay|işlem adı|açıklamalar|dönem içi işlemler|işlem detayı|işlem açıklama',
  notes: 'not|notlar|mesaj|referans|yorum',
  category: 'kategori|etiket kategorisi',
  tags: 'etiketler|etiket',
  ownAccount: 'kart no|kart numarası|kendi hesabım|hesabım',
  payer: 'gönderen|gönderen adı|ödeyen',
  recipient: 'alıcı|alıcı adı',
  holder: 'ad soyad|hesap sahibi|kart sahibi',
  account: 'hesap|hesap no|hesap numarası|hesap adı|kart no|kart numarası',
  currency: 'para birimi|döviz|döviz cinsi|birim|döviz kodu|para cinsi',
  balance: 'bakiye|kalan bakiye|hesap bakiyesi|işlem sonrası bakiye|son bakiye',
  status: 'durum|işlem durumu',
  fee: 'ücret|komisyon|masraf',
  moneyOut: 'borç|gider|giden|çıkan|b|para çekme|çıkış',
  moneyIn: 'alacak|gelir|gelen|giren|a|para yatırma|giriş',
  pending: 'beklemede|bekliyor|provizyon|provizyonda|işleniyor|onay bekliyor|bekleyen',
  reverted: 'iade edildi|geri alındı|iade',
  declined: 'reddedildi|red|reddedilen|onaylanmadı',
  failed: 'başarısız|hata|hatalı|gerçekleşmedi|süresi doldu',
  cancelled: 'iptal|iptal edildi|silindi',
  balanceLine:
    'açılış bakiyesi|kapanış bakiyesi|devir bakiyesi|önceki bakiye|devir|devreden bakiye|dönem başı bakiye|dönem sonu bakiye',
  totalLine: 'toplam|genel toplam|ara toplam|bakiye',
  months:
    'ocak/oca|şubat/şub|mart/mar|nisan/nis|mayıs/may|haziran/haz|temmuz/tem|ağustos/ağu|eylül/eyl|ekim/eki|kasım/kas|aralık/ara',
};

export const greek: Vocabulary = {
  transactionDate: 'ημερομηνία συναλλαγής|ημ/νία συναλλαγής|ημνία συναλλαγής|ημερ. συναλλαγής',
  date: 'ημερομηνία|ημ/νία|ημέρα|ημερομηνια και ωρα|ημερ.|ημερομηνία ολοκλήρωσης',
  bookingDate:
    'ημερομηνία καταχώρησης|ημερομηνία εγγραφής|ημ/νία καταχώρησης|ημερομηνία λογιστικής',
  valueDate:
    'ημερομηνία αξίας|valeur|βαλέρ|αξία ημερομηνία|ημ/νία αξίας|τοκοφόρος ημερομηνία|ημερομηνία έναρξης',
  amount: 'ποσό|ποσό συναλλαγής|αξία|ποσό (eur)|ποσό σε',
  debit: 'χρέωση|χρεώσεις|έξοδα|ανάληψη|ποσό χρέωσης',
  credit: 'πίστωση|πιστώσεις|έσοδα|κατάθεση|ποσό πίστωσης',
  direction: 'τύπος|χρέωση/πίστωση|πρόσημο ποσού|πρόσημο|χ/π|είδος|τύπος συναλλαγής|είδος κίνησης',
  payee:
    'δικαιούχος|αντισυμβαλλόμενος|έμπορος|όνομα αντισυμβαλλόμενου|ονοματεπώνυμο αντισυμβαλλόμενου|παραλήπτης|κατάστημα εμπόρου|επωνυμία',
  description: 'περιγραφή|αιτιολογία|περιγραφή συναλλαγής|συναλλαγή|κίνηση|λεπτομέρειες',
  notes: 'σχόλια|σημειώσεις|παρατηρήσεις|μήνυμα|επιπλέον πληροφορίες|σημείωση',
  category: 'κατηγορία',
  tags: 'ετικέτες',
  ownAccount: 'κάρτα|αριθμός κάρτας|ο λογαριασμός μου',
  payer: 'εντολέας|αποστολέας|πληρωτής|οφειλέτης',
  recipient: 'δικαιούχος|παραλήπτης',
  holder: 'όνομα|ονοματεπώνυμο|κάτοχος|δικαιούχος λογαριασμού',
  account: 'λογαριασμός|αριθμός λογαριασμού|κάρτα',
  currency: 'νόμισμα',
  balance: 'υπόλοιπο|λογιστικό υπόλοιπο|νέο υπόλοιπο|υπόλοιπο λογαριασμού|προοδευτικό υπόλοιπο',
  status: 'κατάσταση',
  fee: 'προμήθεια|έξοδα συναλλαγής|χρεώσεις προμήθειας',
  moneyOut: 'χρέωση|χ|έξοδο|ανάληψη|εξερχόμενη',
  moneyIn: 'πίστωση|π|έσοδο|κατάθεση|εισερχόμενη',
  pending: 'σε εκκρεμότητα|εκκρεμεί|δεσμευμένο|σε εξέλιξη|υπό επεξεργασία|εκκρεμής',
  reverted: 'αντιλογίστηκε|επιστράφηκε|αντιλογισμός',
  declined: 'απορρίφθηκε|απόρριψη|αρνήθηκε',
  failed: 'απέτυχε|αποτυχία|ανεπιτυχής|έληξε|αποτυχημένη',
  cancelled: 'ακυρώθηκε|ακύρωση|ακυρωμένη|ακυρωμένο',
  balanceLine:
    'αρχικό υπόλοιπο|τελικό υπόλοιπο|προηγούμενο υπόλοιπο|νέο υπόλοιπο|υπόλοιπο έναρξης|υπόλοιπο λήξης|υπόλοιπο εκ μεταφοράς|εκ μεταφοράς',
  totalLine: 'σύνολο|γενικό σύνολο|υπόλοιπο|μερικό σύνολο',
  months:
    'ιανουάριος/ιαν/ιανουαρίου|φεβρουάριος/φεβ/φεβρουαρίου|μάρτιος/μαρ/μαρτίου|απρίλιος/απρ/απριλίου|μάιος/μαι/μαΐου|ιούνιος/ιουν/ιουνίου|ιούλιος/ιουλ/ιουλίου|αύγουστος/αυγ/αυγούστου|σεπτέμβριος/σεπ/σεπτεμβρίου|οκτώβριος/οκτ/οκτωβρίου|νοέμβριος/νοε/νοεμβρίου|δεκέμβριος/δεκ/δεκεμβρίου',
};

/** Estonian, Latvian and Lithuanian. */
export const baltic: Vocabulary = {
  transactionDate: 'tehingu kuupäev|darījuma datums|operacijos data',
  date: 'kuupäev|datums|data|pabaigos data|pabeigšanas datums|lõpetamise kuupäev',
  bookingDate: 'kande kuupäev|grāmatošanas datums|registravimo data',
  valueDate: 'väärtuspäev|valutēšanas datums|pradžios data|sākuma datums|alguskuupäev',
  amount: 'summa|suma',
  debit: 'deebet|väljaminek|debets|debetas|išlaidos',
  credit: 'kreedit|sissetulek|kredīts|kreditas|pajamos',
  direction:
    'deebet/kreedit|deebet/kreedit (d/c)|debets/kredīts|debetas/kreditas|d/k|debeta/kredīta pazīme',
  payee:
    'saaja/maksja nimi|saaja/maksja|saaja nimi|saņēmējs/maksātājs|saņēmējs / maksātājs|saņēmējs|gavėjas|mokėtojas ar gavėjas|mokėtojas/gavėjas|mokėtojo arba gavėjo pavadinimas|gavėjo pavadinimas|mokėtojas|partneris|partnera nosaukums|darījuma partneris',
  description:
    'selgitus|kirjeldus|informācija saņēmējam|maksājuma mērķis|paskirtis|mokėjimo paskirtis|detaļas|apraksts|aprašymas|paaiškinimai|paaiškinimas|pamatojums|darījuma apraksts|tehingu selgitus',
  notes: 'märkus|viitenumber|piezīmes|pastabos',
  category: 'kategooria|kategorija',
  ownAccount: 'kliendi konto|klienta konts|kliento sąskaita|mano sąskaita|mans konts',
  payer: 'maksja|maksja nimi|maksātājs|mokėtojas|mokėtojo pavadinimas',
  recipient: 'saaja|saaja nimi|saņēmējs|gavėjas|gavėjo pavadinimas',
  holder: 'nimi|konto omanik|konta īpašnieks|sąskaitos savininkas',
  account: 'kliendi konto|konts|sąskaita|sąskaitos nr.|konta numurs|sąskaitos numeris',
  currency: 'valuuta|valūta|valiuta',
  balance:
    'jääk|saldo|atlikums|likutis|bilance|konto jääk|saldo pēc darījuma|likutis po operacijos',
  status: 'olek|statuss|būsena',
  fee: 'teenustasu|komisija|komisinis mokestis',
  moneyOut: 'd|deebet|debets|debetas',
  moneyIn: 'k|c|kreedit|kredīts|kreditas',
  pending: 'ootel|broneeritud|gaida|rezervēts|laukiama|rezervuota',
  declined: 'tagasi lükatud|noraidīts|atmesta',
  failed: 'ebaõnnestunud|neizdevās|nepavyko',
  cancelled: 'tühistatud|atcelts|atšaukta',
  balanceLine:
    'algsaldo|lõppsaldo|algjääk|lõppjääk|sākuma atlikums|beigu atlikums|pradinis likutis|galutinis likutis|likutis pradžiai|likutis pabaigai|sākuma bilance|beigu bilance|apyvarta|apgrozījums|käive',
  totalLine: 'käive|kokku|kopā|apgrozījums|iš viso|apyvarta',
};
