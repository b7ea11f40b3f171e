import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { textsOf } from './details.ts';
import { parseLine } from './statement-line.ts';

const DEBIT = parseLine(['2401310131D5,00NTRFNONREF'])!;
const CREDIT = parseLine(['2401310131C5,00NTRFNONREF'])!;

function texts(text: string, line = DEBIT): [string, string | null] {
  const { payee, notes } = textsOf(text === '' ? [] : text.split('\n'), line);
  return [payee, notes];
}

describe('textsOf a structured :86:', () => {
  it('reads the name and the purpose, with any mark, broken anywhere', () => {
    for (const mark of ['?', '<', '>', '~', '^', '|', '/']) {
      const text = `166?00GUTSCHRIFT?109310?20EREF+R1?21SVWZ+Miete Jan\nuar?30ABCDEFFF?31DE0012?32Anna Bei?33spiel`;
      const [payee, notes] = texts(text.replaceAll('?', mark));
      assert.deepEqual([payee, notes], ['Anna Bei spiel', 'Miete Januar'], mark);
    }
    const polish = ' 020~00B001~20Za prad 05/2024~21 ~30114~31000~32ENERGIA SA~33UL. MALA 1~38PL00';
    assert.deepEqual(texts(polish), ['ENERGIA SA UL. MALA 1', 'Za prad 05/2024']);
    assert.deepEqual(texts('000>100987\n>20HUUR VAN KANTOOR>21 MAART'), [
      'HUUR VAN KANTOOR MAART',
      null,
    ]);
  });

  it('joins parts of 27 characters without a space, and lines of 65', () => {
    const full = 'Verwendungszweck mit 27 Zei';
    const text = `105?00LASTSCHRIFT?20SVWZ+${full.slice(0, 22)}?21${full}?22chen?32Stadtwerke`;
    const wanted = `${full.slice(0, 22)}${full}chen`;
    assert.deepEqual(texts(text), ['Stadtwerke', wanted]);
    const lines = `${text.slice(0, 65)}\n${text.slice(65)}`;
    assert.deepEqual(texts(lines), ['Stadtwerke', wanted]);
    const trimmed = `105?20SVWZ+Rechnung 17 vom?32${'N'.repeat(27)}?33ame AG\n?34000`;
    assert.deepEqual(texts(trimmed), [`${'N'.repeat(27)}ame AG`, 'Rechnung 17 vom']);
  });

  it('finds SEPA tags that are broken between parts, and continues in parts 60 to 63', () => {
    const text =
      '835?20Cie., S.C.A.?21SEPA-BASISLASTSCHRIFT?24CRED+ AB12CDE000000000000 S?25VWZ+ Abo Mai?60plus?32Shop';
    assert.deepEqual(texts(text), ['Shop', 'Abo Mai plus']);
    assert.deepEqual(texts('105?20SVWZ+Strom EREF: 12 IBAN: DE00?32Werk'), ['Werk', 'Strom']);
  });

  it('uses other texts if there is no name or no purpose', () => {
    assert.deepEqual(texts('805?00ENTGELT?20Pauschalen'), ['ENTGELT', 'Pauschalen']);
    assert.deepEqual(texts('105?00KARTE?20EREF+R77 MREF+M1'), ['KARTE', 'EREF+R77 MREF+M1']);
    assert.deepEqual(texts('105?00KARTE?20EREF+NOTPROVIDED'), ['KARTE', null]);
    assert.deepEqual(texts('105?20SVWZ+x?21ABWA+Laden 7'), ['Laden 7', 'x']);
    assert.deepEqual(texts('008?00DAUERAUFTRAG?32MUELLER'), ['MUELLER', 'DAUERAUFTRAG']);
  });
});

describe('textsOf an :86: with code words', () => {
  it('reads Dutch, Belgian and Swiss texts', () => {
    const abn =
      '/TRTP/SEPA OVERBOEKING/IBAN/NL00BANK0123456789/BIC/BANKNL2A/NAME/J\nANSEN BV/REMI/FACTUUR 12/34/EREF/NOTPROVIDED';
    const [first, second] = abn.split('\n') as [string, string];
    assert.equal(first.length, 66);
    assert.deepEqual(texts(`${first}\n${second}`), ['JANSEN BV', 'FACTUUR 12/34']);
    const ing = '/EREF/E1//CNTP/NL00BANK0123456789/BANKNL2A/De Bakker/DELFT//REMI/USTD//Brood 7/';
    assert.deepEqual(texts(ing), ['De Bakker', 'Brood 7']);
    const strd = '/CNTP/NL00/B/Water NV//REMI/STRD/CUR/9001/';
    assert.deepEqual(texts(strd), ['Water NV', '9001']);
    const both = '/EREF/1/ORDP//NAME/Payer/BENM//NAME/Taker/REMI/Rent';
    assert.deepEqual(texts(both), ['Taker', 'Rent']);
    assert.deepEqual(texts(both, CREDIT), ['Payer', 'Rent']);
    assert.deepEqual(texts('/CT/ORDP/Muster AG/REMI/Lohn', CREDIT), ['Muster AG', 'Lohn']);
    assert.deepEqual(texts('/TRTP/RENTE/ISDT/2024-01-01'), ['RENTE', null]);
  });

  it('does not take other slashes for code words', () => {
    assert.deepEqual(texts('/ABC/def'), ['/ABC/def', null]);
    assert.deepEqual(texts('BEA 12/34/NAME'), ['BEA 12/34/NAME', null]);
  });
});

describe('textsOf an :86: without structure', () => {
  it('is the payee, with single spaces', () => {
    assert.deepEqual(texts('GIRO  428 KPN\nFACTUUR   7'), ['GIRO 428 KPN FACTUUR 7', null]);
    assert.deepEqual(texts('999PN5477SCHECK-NR. 0123'), ['SCHECK-NR. 0123', null]);
    assert.deepEqual(texts('123/45 EUR'), ['123/45 EUR', null]);
  });

  it('may have a name behind a label', () => {
    const text = 'SEPA OVERBOEKING   IBAN: NL00\nBIC: BANKNL2A   NAAM: Foo BV\nOMSCHRIJVING: Huur';
    const whole = 'SEPA OVERBOEKING IBAN: NL00 BIC: BANKNL2A NAAM: Foo BV OMSCHRIJVING: Huur';
    assert.deepEqual(texts(text), ['Foo BV', whole]);
    assert.deepEqual(texts('REK: NL00/NAAM: Bar KENMERK: 7'), [
      'Bar',
      'REK: NL00/NAAM: Bar KENMERK: 7',
    ]);
  });

  it('is replaced by the reference or the second line of the :61: if it is missing', () => {
    const line = (text: string) => parseLine(text.split('\n'))!;
    assert.deepEqual(texts('', line('240131D5,00NTRFShop 17')), ['Shop 17', null]);
    assert.deepEqual(texts('', line('240131D5,00NTRFNONREF\nCARD PURCHASE')), [
      'CARD PURCHASE',
      null,
    ]);
    assert.deepEqual(texts('', DEBIT), ['', null]);
  });

  it('comes with the number of a cheque and the second line of the :61:', () => {
    const line = (text: string) => parseLine(text.split('\n'))!;
    assert.deepEqual(texts('Scheck', line('240131D5,00NCHK1042')), ['Scheck', 'No. 1042']);
    const card = line('240131D5,00FMSCNONREF//8327000090031789\nCard transaction');
    assert.deepEqual(texts('020?20Kawa?32Bar', card), ['Bar', 'Kawa; Card transaction']);
    for (const code of ['/TRCD/00100/', 'NL00BANK0123456789', '0012']) {
      assert.deepEqual(texts('x', line(`240131D5,00NTRFNONREF\n${code}`)), ['x', null]);
    }
  });
});
