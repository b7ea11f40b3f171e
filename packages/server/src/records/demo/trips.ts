import type { CategoryName } from './categories.ts';
import type { Currency } from './currencies.ts';
import type { TagName } from './tags.ts';

/** Prices are in the smallest amounts of the trip's currency: cents or pence, but whole yen. */
export type TripMerchant = readonly [
  payee: string,
  category: CategoryName,
  least: number,
  most: number,
];

/** A stay away from home, its days inclusive. */
export interface Trip {
  readonly tag: TagName;
  /** First day away, `YYYY-MM-DD`. */
  readonly start: string;
  readonly nights: number;
  readonly currency: Exclude<Currency, 'usd'>;
  /** Paid in US cents, weeks ahead. */
  readonly flight: readonly [payee: string, cents: number];
  /** The last morning's bill, for all nights. */
  readonly lodging: readonly [payee: string, amount: number];
  readonly merchants: readonly TripMerchant[];
}

export const trips: readonly Trip[] = [
  {
    tag: 'Lisbon 2017',
    start: '2017-09-08',
    nights: 10,
    currency: 'eur',
    flight: ['Sky Harbor Airlines', 162480],
    lodging: ['Pensão Vista da Colina', 84000],
    merchants: [
      ['Pastelaria Flor do Bairro', 'Coffee Shops', 180, 1250],
      ['Tasca do Avô', 'Restaurants', 1600, 6800],
      ['Mercearia São Roque', 'Groceries', 400, 3200],
      ['Elétrico – bilhete', 'Public Transit', 150, 1060],
      ['Museu dos Azulejos Azuis', 'Sightseeing', 500, 2400],
      ['Ginjinha da Esquina', 'Bars', 140, 900],
    ],
  },
  {
    tag: 'Kyoto 2018',
    start: '2018-11-03',
    nights: 12,
    currency: 'jpy',
    flight: ['Pacific Crane Airways', 238900],
    lodging: ['旅館 紅葉の宿', 168000],
    merchants: [
      ['喫茶こもれび', 'Coffee Shops', 350, 1400],
      ['麺処 あさひ坂', 'Restaurants', 850, 4200],
      ['青空マート 四条店', 'Groceries', 240, 2600],
      ['市バス 一日券', 'Public Transit', 230, 1200],
      ['竹林庭園 拝観料', 'Sightseeing', 400, 2000],
      ['和紙と筆の店', 'Gifts', 800, 9800],
    ],
  },
  {
    tag: 'Vancouver 2019',
    start: '2019-09-22',
    nights: 8,
    currency: 'cad',
    flight: ['Cascadia Rail', 28600],
    lodging: ['Seawall Guesthouse', 118000],
    merchants: [
      ['Gastown Grind Coffee', 'Coffee Shops', 350, 1400],
      ['Salmon & Cedar', 'Restaurants', 2800, 11800],
      ['Kits Corner Grocer', 'Groceries', 700, 5200],
      ['SeaHop Ferry', 'Public Transit', 375, 1800],
      ['Suspension Trail Park', 'Sightseeing', 1800, 10900],
    ],
  },
  {
    tag: 'Montréal 2021',
    start: '2021-09-17',
    nights: 7,
    currency: 'cad',
    flight: ['Sky Harbor Airlines', 71240],
    lodging: ['Auberge du Plateau Vert', 109500],
    merchants: [
      ['Café Le Castor Éveillé', 'Coffee Shops', 325, 1650],
      ['Bistro Chez l’Écureuil', 'Restaurants', 2600, 12600],
      ['Dépanneur Saint-Zéphir', 'Groceries', 400, 4100],
      ['Métro – carte hebdo', 'Public Transit', 350, 2900],
      ['Jardin des Lanternes', 'Sightseeing', 1200, 6600],
    ],
  },
  {
    tag: 'London 2022',
    start: '2022-06-10',
    nights: 9,
    currency: 'gbp',
    flight: ['Sky Harbor Airlines', 247350],
    lodging: ['The Chimney Sweep Inn', 128700],
    merchants: [
      ['The Copper Kettle', 'Coffee Shops', 280, 1350],
      ['Fox & Umbrella', 'Restaurants', 1800, 8600],
      ['Bramble’s Food Hall', 'Groceries', 350, 4400],
      ['Tube & Bus Fares', 'Public Transit', 165, 1480],
      ['Tower Walks Ltd', 'Sightseeing', 1500, 8900],
      ['The Crooked Pint', 'Bars', 480, 3600],
    ],
  },
  {
    tag: 'Tokyo 2023',
    start: '2023-10-05',
    nights: 13,
    currency: 'jpy',
    flight: ['Pacific Crane Airways', 318720],
    lodging: ['ホテル みなと灯', 214500],
    merchants: [
      ['珈琲 ひつじ雲', 'Coffee Shops', 420, 1900],
      ['寿司処 まる福', 'Restaurants', 1400, 12800],
      ['ラーメン 龍の背', 'Restaurants', 900, 3200],
      ['青空マート 中野店', 'Groceries', 260, 3100],
      ['みどり交通 チャージ', 'Public Transit', 1000, 3000],
      ['水族館 あおの森', 'Sightseeing', 1200, 6400],
      ['文具の月光堂', 'Gifts', 600, 8800],
    ],
  },
  {
    tag: 'Paris 2024',
    start: '2024-05-11',
    nights: 8,
    currency: 'eur',
    flight: ['Sky Harbor Airlines', 284160],
    lodging: ['Hôtel des Deux Hirondelles', 136800],
    merchants: [
      ['Boulangerie du Pont Vert', 'Coffee Shops', 210, 1480],
      ['Le Petit Chaudron', 'Restaurants', 2200, 11400],
      ['Épicerie Mirabelle', 'Groceries', 380, 3900],
      ['Métro – carnet', 'Public Transit', 215, 2015],
      ['Musée de l’Atelier', 'Sightseeing', 900, 5600],
      ['Librairie Au Fil des Pages', 'Books & Games', 650, 4200],
    ],
  },
  {
    tag: 'Edinburgh 2025',
    start: '2025-08-08',
    nights: 9,
    currency: 'gbp',
    flight: ['Sky Harbor Airlines', 301980],
    lodging: ['Thistle Close Apartments', 141300],
    merchants: [
      ['Haar & Honey Café', 'Coffee Shops', 310, 1500],
      ['The Stag & Kettle', 'Restaurants', 1900, 9200],
      ['Old Town Provisions', 'Groceries', 400, 4200],
      ['Lothian Hills Buses', 'Public Transit', 200, 1200],
      ['Fringe Ticket Booth', 'Events', 1000, 5400],
      ['Castle Rock Tours', 'Sightseeing', 1400, 7800],
    ],
  },
  {
    tag: 'Berlin 2026',
    start: '2026-06-19',
    nights: 10,
    currency: 'eur',
    flight: ['Sky Harbor Airlines', 336240],
    lodging: ['Pension Lindengrün', 127000],
    merchants: [
      ['Café Süßes Glück', 'Coffee Shops', 260, 1580],
      ['Wirtshaus Zur Krähe', 'Restaurants', 1900, 8900],
      ['Späti an der Ecke', 'Groceries', 190, 2400],
      ['Fahrkarten Stadtbahn', 'Public Transit', 240, 1590],
      ['Museum der Straßenlampen', 'Sightseeing', 800, 4800],
      ['Spielzeugladen Fuchsbau', 'Kids', 700, 5200],
    ],
  },
];
