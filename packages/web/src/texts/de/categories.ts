import { categoriesTexts } from '../en/categories.ts';
import { starterSets, starterTexts } from '../en/starter-sets.ts';
import { counted } from '../plural.ts';
import { replaceTexts } from '../translated.ts';

const transactions = counted({ one: '# Buchung', other: '# Buchungen' });
const rulesLose = counted({ one: '# Regel verliert sie', other: '# Regeln verlieren sie' });

replaceTexts(categoriesTexts, {
  title: 'Kategorien & Tags',
  parts: { categories: 'Kategorien', tags: 'Tags' },
  tree: 'Kategorien und ihre Gruppen',
  addCategory: 'Kategorie hinzufügen',
  addGroup: 'Gruppe hinzufügen',
  addTag: 'Tag hinzufügen',
  noTags: 'Noch kein Tag',
  noTagsHint: 'Tags markieren, was Kategorien nicht sagen, wie eine Reise oder geteilte Kosten.',
  dragHint: 'Ziehe am Griff, oder benutze das Menü, um Reihenfolge und Gruppe zu ändern.',
  drag: (name) => `${name} bewegen`,
  lifted: (name) => `${name} ist aufgenommen: Pfeile, dann Enter`,
  place: {
    before: (name) => `Vor ${name}`,
    after: (name) => `Nach ${name}`,
    on: (name) => `In ${name}`,
  },
  expand: (name) => `${name} auf- oder zuklappen`,
  more: (name) => `Aktionen für ${name}`,
  badges: {
    income: 'Einnahme',
    budget: 'Nicht in Budgets',
    totals: 'Nicht in Summen',
    archived: 'Archiviert',
  },
  showArchived: counted({ one: '# archivierte zeigen', other: '# archivierte zeigen' }),
  edit: 'Bearbeiten',
  up: 'Nach oben',
  down: 'Nach unten',
  archive: 'Archivieren',
  restore: 'Wieder anbieten',
  merge: 'Mit einer anderen zusammenlegen',
  remove: 'Löschen',
  transactions: 'Buchungen',
  moved: (name) => `${name} ist verschoben`,
  changed: (name) => `${name} ist geändert`,
  created: (name) => `${name} ist hinzugefügt`,
  archived: (name) => `${name} ist archiviert`,
  restored: (name) => `${name} wird wieder angeboten`,
  removed: (name) => `${name} ist gelöscht`,
  form: {
    name: 'Name',
    description: 'Notiz',
    group: 'Gruppe',
    noGroup: 'Keine Gruppe',
    income: 'Eingenommenes Geld',
    budget: 'Aus Budgets heraushalten',
    totals: 'Aus Summen heraushalten',
    inherited: 'Mitglieder haben das wie ihre Gruppe.',
    background: 'Hintergrund',
    hasColours: 'Eigene Farben',
    preview: 'So sieht es aus',
  },
  look: {
    title: 'Symbol und Farbe',
    icon: 'Symbol',
    letter: 'Anfangsbuchstabe',
    colour: 'Farbe',
    noColour: 'Keine Farbe',
    symbols: {
      basket: 'Korb',
      fork: 'Besteck',
      cup: 'Tasse',
      home: 'Haus',
      key: 'Schlüssel',
      sofa: 'Couch',
      hammer: 'Werkzeug',
      bolt: 'Blitz',
      flame: 'Flamme',
      drop: 'Tropfen',
      wifi: 'Netz',
      phone: 'Handy',
      screen: 'Bildschirm',
      car: 'Auto',
      bus: 'Autobus',
      bike: 'Fahrrad',
      plane: 'Reise',
      heart: 'Herz',
      cross: 'Medizin',
      scissors: 'Schere',
      shirt: 'Kleidung',
      weights: 'Hanteln',
      music: 'Musik',
      book: 'Buch',
      cap: 'Schule',
      smile: 'Gesicht',
      paw: 'Pfote',
      gift: 'Geschenk',
      star: 'Stern',
      briefcase: 'Aktentasche',
      coins: 'Münzen',
      chart: 'Kurve',
      shield: 'Schild',
      receipt: 'Beleg',
    },
    colours: {
      red: 'Rot',
      orange: 'Orange',
      ochre: 'Ocker',
      olive: 'Oliv',
      green: 'Grün',
      teal: 'Petrol',
      sky: 'Himmelblau',
      blue: 'Blau',
      violet: 'Violett',
      purple: 'Lila',
      pink: 'Rosa',
      grey: 'Grau',
    },
  },
  refused: {
    title: (name) => `${name} löschen?`,
    intro: 'Sie wird benutzt. Wenn du sie löschst:',
    confirm: 'Löschen',
    dependents: {
      transactions: (count: number) => `${transactions(count)} ohne Kategorie`,
      children: counted({
        one: '# Mitglied gehört zu keiner Gruppe mehr',
        other: '# Mitglieder gehören zu keiner Gruppe mehr',
      }),
      budget: counted({ one: '# Budget wird gelöscht', other: '# Budgets werden gelöscht' }),
      category_rules: rulesLose,
      recurring: counted({
        one: '# wiederkehrende Buchung verliert sie',
        other: '# wiederkehrende Buchungen verlieren sie',
      }),
      plaid_cats: counted({
        one: '# Kategorie einer Bank ist nicht mehr zugeordnet',
        other: '# Kategorien von Banken sind nicht mehr zugeordnet',
      }),
    },
    tagDependents: {
      transactions: counted({ one: '# Buchung verliert es', other: '# Buchungen verlieren es' }),
      rules: counted({ one: '# Regel verliert es', other: '# Regeln verlieren es' }),
    },
  },
  merging: {
    title: (name) => `${name} mit einer anderen zusammenlegen`,
    into: 'Ziel',
    choose: 'Wählen',
    effect: 'Das geschieht:',
    transactions: counted({ one: '# Buchung zieht um', other: '# Buchungen ziehen um' }),
    rules: counted({ one: '# Regel benutzt die andere', other: '# Regeln benutzen die andere' }),
    recurring: counted({
      one: '# wiederkehrende Buchung zieht um',
      other: '# wiederkehrende Buchungen ziehen um',
    }),
    members: counted({ one: '# Mitglied zieht um', other: '# Mitglieder ziehen um' }),
    others: 'Budgets ziehen auch um',
    gone: (name) => `${name} wird gelöscht`,
    confirm: 'Zusammenlegen',
    done: (from, into) => `${from} gehört jetzt zu ${into}`,
  },
});

const salary = { name: 'Gehalt', is_income: true };
const otherIncome = { name: 'Andere Einnahmen', is_income: true };
const home = {
  name: 'Wohnen',
  members: ['Miete', 'Strom & Heizung', 'Internet & Telefon', 'Haushaltswaren'],
};
const food = { name: 'Essen', members: ['Lebensmittel', 'Restaurants'] };
const transport = { name: 'Verkehr', members: ['Tanken', 'Bus & Bahn', 'Auto'] };
const personal = {
  name: 'Persönliches',
  members: ['Gesundheit', 'Kleidung', 'Freizeit', 'Geschenke', 'Reisen'],
};
const fees = { name: 'Versicherungen & Gebühren', members: ['Versicherungen', 'Bankgebühren'] };

replaceTexts(starterSets, [
  {
    name: 'Haushalt',
    categories: [salary, otherIncome, home, food, transport, personal, fees],
  },
  {
    name: 'Selbständig',
    categories: [
      { name: 'Kunden', is_income: true },
      otherIncome,
      {
        name: 'Betrieb',
        members: ['Ausstattung', 'Programme', 'Büro', 'Geschäftsreisen', 'Werbung'],
      },
      { name: 'Steuern', members: ['Einkommensteuer', 'Umsatzsteuer', 'Sozialversicherung'] },
      home,
      food,
      transport,
      personal,
      fees,
    ],
  },
  {
    name: 'Wenige',
    categories: [
      { name: 'Einnahmen', is_income: true },
      ...['Wohnen', 'Lebensmittel', 'Verkehr', 'Freizeit', 'Anderes'].map((name) => ({ name })),
    ],
  },
]);

replaceTexts(starterTexts, {
  title: 'Mit einem Satz Kategorien beginnen',
  hint: 'Ändere ihn später, wie du willst. Oder beginne ohne: Eine neue Kategorie entsteht, wo du sie zuerst brauchst.',
  use: (name) => `„${name}“ nehmen`,
  made: (count) => `${count} Kategorien angelegt`,
});
