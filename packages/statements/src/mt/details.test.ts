import assert from 'node:assert/strict';
import { it } from 'node:test';
import { textsOf } from './details.ts';
import { parseLine } from './statement-line.ts';

const DEBIT = '2401310131D5,00NTRFNONREF';
const CREDIT = '2401310131C5,00NTRFNONREF';

/** Asserts that an `:86:` gives `payee | notes`. */
function gives(text: string, wanted: string, line = DEBIT): void {
  const { payee, notes } = textsOf(
    text === '' ? [] : text.split('\n'),
    parseLine(line.split('\n'))!,
  );
  assert.equal(`${payee} | ${notes ?? '-'}`, wanted, text);
}

it('a structured :86: has the name and the purpose, with any mark, broken anywhere', () => {
  for (const mark of ['?', '<', '>', '~', '^', '|', '/']) {
    const text = `166?00GUTSCHRIFT?109310?20EREF+R1?21SVWZ+Miete Jan\nuar?30ABCDEFFF?31DE0012?32Anna Bei?33spiel`;
    gives(text.replaceAll('?', mark), 'Anna Bei spiel | Miete Januar');
  }
  const polish = ' 020~00B001~20Za prad 05/2024~21 ~30114~31000~32ENERGIA SA~33UL. MALA 1~38PL00';
  gives(polish, 'ENERGIA SA UL. MALA 1 | Za prad 05/2024');
  gives('000>100987\n>20HUUR VAN KANTOOR>21 MAART', 'HUUR VAN KANTOOR MAART | -');
});

it('parts of 27 characters are joined without a space, and lines of 65', () => {
  const full = 'Verwendungszweck mit 27 Zei';
  const text = `105?00LASTSCHRIFT?20SVWZ+${full.slice(0, 22)}?21${full}?22chen?32Stadtwerke`;
  const wanted = `Stadtwerke | ${full.slice(0, 22)}${full}chen`;
  gives(text, wanted);
  gives(`${text.slice(0, 65)}\n${text.slice(65)}`, wanted);
  const name = 'N'.repeat(27);
  gives(`105?20SVWZ+Rechnung 17 vom?32${name}?33ame AG\n?34000`, `${name}ame AG | Rechnung 17 vom`);
});

it('SEPA tags may be broken between parts, and continue in parts 60 to 63', () => {
  gives(
    '835?20Cie., S.C.A.?21SEPA-BASISLASTSCHRIFT?24CRED+ AB12CDE000000000000 S?25VWZ+ Abo Mai?60plus?32Shop',
    'Shop | Abo Mai plus',
  );
  gives('105?20SVWZ+Strom EREF: 12 IBAN: DE00?32Werk', 'Werk | Strom');
});

it('other texts are used if there is no name or no purpose', () => {
  gives('805?00ENTGELT?20Pauschalen', 'ENTGELT | Pauschalen');
  gives('105?00KARTE?20EREF+R77 MREF+M1', 'KARTE | EREF+R77 MREF+M1');
  gives('105?00KARTE?20EREF+NOTPROVIDED', 'KARTE | -');
  gives('105?20SVWZ+x?21ABWA+Laden 7', 'Laden 7 | x');
  gives('008?00DAUERAUFTRAG?32MUELLER', 'MUELLER | DAUERAUFTRAG');
});

it('code words of Dutch, Belgian and Swiss banks are read, and no other slashes', () => {
  const first = '/TRTP/SEPA OVERBOEKING/IBAN/NL00BANK0123456789/BIC/BANKNL2A/NAME/J';
  assert.equal(first.length, 66);
  gives(`${first}\nANSEN BV/REMI/FACTUUR 12/34/EREF/NOTPROVIDED`, 'JANSEN BV | FACTUUR 12/34');
  gives(
    '/EREF/E1//CNTP/NL00BANK0123456789/BANKNL2A/De Bakker/DELFT//REMI/USTD//Brood 7/',
    'De Bakker | Brood 7',
  );
  gives('/CNTP/NL00/B/Water NV//REMI/STRD/CUR/9001/', 'Water NV | 9001');
  const both = '/EREF/1/ORDP//NAME/Payer/BENM//NAME/Taker/REMI/Rent';
  gives(both, 'Taker | Rent');
  gives(both, 'Payer | Rent', CREDIT);
  gives('/CT/ORDP/Muster AG/REMI/Lohn', 'Muster AG | Lohn', CREDIT);
  gives('/TRTP/RENTE/ISDT/2024-01-01', 'RENTE | -');
  gives('/ABC/def', '/ABC/def | -');
  gives('BEA 12/34/NAME', 'BEA 12/34/NAME | -');
});

it('an :86: without structure is the payee, or has a name behind a label', () => {
  gives('GIRO  428 KPN\nFACTUUR   7', 'GIRO 428 KPN FACTUUR 7 | -');
  gives('999PN5477SCHECK-NR. 0123', 'SCHECK-NR. 0123 | -');
  gives('123/45 EUR', '123/45 EUR | -');
  const text = 'SEPA OVERBOEKING   IBAN: NL00\nBIC: BANKNL2A   NAAM: Foo BV\nOMSCHRIJVING: Huur';
  const whole = 'SEPA OVERBOEKING IBAN: NL00 BIC: BANKNL2A NAAM: Foo BV OMSCHRIJVING: Huur';
  gives(text, `Foo BV | ${whole}`);
  gives('REK: NL00/NAAM: Bar KENMERK: 7', 'Bar | REK: NL00/NAAM: Bar KENMERK: 7');
});

it('the :61: replaces a missing :86:, and adds a cheque and its second line', () => {
  gives('', 'Shop 17 | -', '240131D5,00NTRFShop 17');
  gives('', 'CARD PURCHASE | -', '240131D5,00NTRFNONREF\nCARD PURCHASE');
  gives('', ' | -');
  gives('Scheck', 'Scheck | No. 1042', '240131D5,00NCHK1042');
  const card = '240131D5,00FMSCNONREF//8327000090031789\nCard transaction';
  gives('020?20Kawa?32Bar', 'Bar | Kawa; Card transaction', card);
  for (const code of ['/TRCD/00100/', 'NL00BANK0123456789', '0012'])
    gives('x', 'x | -', `240131D5,00NTRFNONREF\n${code}`);
});
