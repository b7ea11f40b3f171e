import type { starterTexts } from '../en/starter-sets.ts';
import type { StarterSet } from '../en/starter-sets.ts';
import type { InLanguage } from '../translated.ts';

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

/** The starter sets, the most usual first. */
export const starterSetsDe: readonly StarterSet[] = [
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
];

/** The texts of the choice of a starter set. */
export const starterDe: InLanguage<typeof starterTexts> = {
  title: 'Mit einem Satz Kategorien beginnen',
  hint: 'Ändere ihn später, wie du willst. Oder beginne ohne: Eine neue Kategorie entsteht, wo du sie zuerst brauchst.',
  use: (name) => `„${name}“ nehmen`,
  made: (count) => `${count} Kategorien angelegt`,
};
