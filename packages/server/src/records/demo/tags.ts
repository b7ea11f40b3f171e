import type { DemoTag } from './demo-book.ts';

const table = [
  { name: 'Lisbon 2017', textColor: '3B2A1A', backgroundColor: 'FFE7D4' },
  { name: 'Kyoto 2018', textColor: 'FFFFFF', backgroundColor: 'B3394F' },
  { name: 'Vancouver 2019', textColor: '10312B', backgroundColor: 'C9EBDD' },
  { name: 'Montréal 2021', textColor: '1B2A49', backgroundColor: 'D6E4FF' },
  { name: 'London 2022', textColor: 'FFFFFF', backgroundColor: '4A4E69' },
  { name: 'Tokyo 2023', textColor: '4A1030', backgroundColor: 'FFD6EA' },
  { name: 'Paris 2024', textColor: '2B2B52', backgroundColor: 'E3DFFF' },
  { name: 'Edinburgh 2025', textColor: 'FFFFFF', backgroundColor: '2F6F5E' },
  { name: 'Berlin 2026', textColor: '3A3200', backgroundColor: 'FFF3B0' },
  { name: 'reimbursable', description: 'The employer owes us this' },
  {
    name: 'tax-deductible',
    description: 'Collect for the yearly return',
    backgroundColor: 'DFF5D8',
  },
  { name: 'warranty', description: 'Keep the receipt' },
  { name: 'date night', textColor: '5C1A2E', backgroundColor: 'FBD9E0' },
  { name: 'splurge' },
] as const;

export type TagName = (typeof table)[number]['name'];

const indices = new Map<string, number>(table.map(({ name }, index) => [name, index]));

/** The index of the tag in the book's list. */
export function tagIndex(name: TagName): number {
  return indices.get(name)!;
}

/** The tags of the demo book, in the order of their indexes. */
export function listTags(): DemoTag[] {
  const blank = { description: null, textColor: null, backgroundColor: null };
  return table.map((tag) => ({ ...blank, ...tag }));
}
