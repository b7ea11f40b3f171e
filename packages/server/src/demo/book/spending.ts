/**
 * Everyday spending: category | accounts that pay | weight | shop and range in cents of 2016 | …
 *
 * The weight is the frequency on weekdays, relative to the other rows; `weekend` and `lockdown` (April 2020 to March
 * 2021) are percent of it. `refund` makes it money in. `tag` has its chance in percent. All names are invented.
 */
export const everyday = readTable(`
Groceries | cashBackCard, creditUnion | 200 | weekend=150 | lockdown=120 | notes=Taco night 🌮; Potluck; For the freezer
| Alder & Rye Market 1800..14500 | Green Basket 900..11800 | Northgate Foods 2500..18900 | Penny Pantry 450..5300
Restaurants | travelCard, checking, cash | 85 | weekend=170 | lockdown=15 | tag=date night 20
| notes=Birthday dinner 🎂; With the neighbors; Jubiläum 🥂 | Noodle House 88 1700..6100 | The Tin Lantern 3200..12400
| Basil & Brick 2600..9200 | Taquería El Camino 1500..6200 | Saffron Table 2800..9800 | Brasserie Chloé 4800..18500
Coffee Shops | travelCard, checking, wallet | 120 | weekend=80 | lockdown=30 | notes=☕ and a croissant; Catching up
| Kettle & Crane Coffee 325..1150 | Café Ümlaut 350..1300 | Bluebird Bakery 280..1450 | Drip Drop Espresso 300..790
Takeaway | travelCard, cashBackCard | 70 | lockdown=190 | notes=Too tired to cook; Movie night 🍿
| Golden Wok Express 1100..4200 | Burrito Depot 850..3100 | Falafel Corner 900..2600 | QuickBite Delivery 1900..6300
Bars | travelCard, checking, wallet | 22 | weekend=260 | lockdown=5 | Rusty Anchor Taproom 700..5200
Fuel | travelCard, cashBackCard | 52 | lockdown=40 | Roadrunner Fuel 1900..5600 | Pine Ridge Gas & Go 1800..5400
Public Transit | travelCard, checking, wallet | 48 | weekend=40 | lockdown=10 | Metro Transit Fare 250..500
Taxi | travelCard, cashBackCard | 16 | weekend=180 | ZipHop Rides 850..3900 | Radio Cab Co-op 1200..4600
Parking & Tolls | travelCard, checking, wallet | 26 | City Parking Meter 160..800 | SmartPark Garage 4 500..2200
Car Care | cashBackCard, creditUnion | 9 | weekend=140 | Lug Nut Tire Center 4200..64000 | Quick Lube 12 4400..8900
Household Supplies | cashBackCard, creditUnion | 44 | weekend=160 | lockdown=150 | Hammer & Hinge Hardware 600..14200
| Everyday Goods 900..9800 | Linen Loft 1800..15600 | Dollar Cottage 300..2600 | Cartwheel Online 800..11900
Repairs & Garden | cashBackCard, creditUnion | 17 | weekend=190 | from=2020-11 | tag=warranty 7
| notes=Raised beds 🌱 | Big Timber Home Center 1200..42000 | Rain City Plumbing 14500..68000
Clothing | travelCard, cashBackCard | 26 | weekend=170 | tag=splurge 12 | Thread & Thimble 1900..14800
| Sole Mates Shoes 3900..16500 | North Trail Outfitters 2400..28900 | Secondhand Rose 700..5200
Electronics | travelCard | 7 | seasons=christmas | tag=warranty 55 | Volt & Wire 1900..38000
Doctor & Dentist | cashBackCard, creditUnion | 15 | weekend=5 | notes=Annual check-up | Bright Smile Dental 4500..41000
Pharmacy | cashBackCard, creditUnion | 26 | Corner Apothecary 450..5400 | Wellspring Pharmacy 600..7200
Personal Care | travelCard, cashBackCard | 18 | Snip & Story Barbers 2600..4800 | Salon Solène 5500..16500
Books & Games | travelCard, cashBackCard | 24 | Dog-Eared Books 800..5600 | Meeple Junction Games 1500..8900
Events | travelCard, cashBackCard | 20 | weekend=260 | lockdown=2 | tag=date night 12 | Orpheum Picture House 1200..9400
Pets | cashBackCard, creditUnion | 22 | from=2018-04 | Paws & Whiskers Supply 1200..9800 | Elm Street Vet 6500..48000
Kids | cashBackCard, creditUnion | 30 | weekend=130 | from=2021-01 | Toybox Tommy’s 800..6900 | Tumble Tots Gym 1800..9600
Gifts | travelCard, cashBackCard | 16 | seasons=christmas | notes=For Mom 💐; お土産 | Paper Crane Gifts 900..8800
Donations | travelCard | 5 | seasons=christmas | tag=tax-deductible 100 | Public Radio Pledge 2500..15000
Work Expenses | travelCard | 10 | weekend=10 | lockdown=10 | tag=reimbursable 95 | notes=Project Heron kick-off
| Sky Harbor Airlines 14900..68000 | Conference Center Hotel 11900..52000 | Client Lunch – The Tin Lantern 3400..15800
Bank Fees | checking, creditUnion | 3 | Out-of-Network ATM Fee 250..500 | Foreign Transaction Fee 90..900
Groceries | wallet | 20 | weekend=320 | lockdown=40 | Saturday Farmers Market 400..3800
Clothing | travelCard, cashBackCard | 8 | refund=yes | notes=Returned, wrong size | Thread & Thimble 1900..14800
`);

/**
 * Trips: tag | first day | nights | currency | airline and US cents, paid in advance | host and price of all nights |
 * category: shop and range, the most visited first | …
 *
 * Prices are in the smallest amount of the currency: cents, pence or tens of yen. The color is that of the tag.
 */
export const trips = readTable(`
Lisbon 2017 | 2017-09-08 | 10 | eur | Sky Harbor Airlines | 162480 | Pensão Vista da Colina | 84000 | background=FFE7D4
| Restaurants: Tasca do Avô 1600..6800 | Public Transit: Elétrico – bilhete 150..1060 | Bars: Ginjinha 140..900
Kyoto 2018 | 2018-11-03 | 12 | jpy | Pacific Crane Airways | 238900 | 旅館 紅葉の宿 | 16800 | background=FFC9D2
| Restaurants: 麺処 あさひ坂 85..420 | Coffee Shops: 喫茶こもれび 35..140 | Sightseeing: 竹林庭園 拝観料 40..200
Vancouver 2019 | 2019-09-22 | 8 | cad | Cascadia Rail | 28600 | Seawall Guesthouse | 118000 | background=C9EBDD
| Restaurants: Salmon & Cedar 2800..11800 | Public Transit: SeaHop Ferry 375..1800 | Sightseeing: Treetops 1800..9900
Montréal 2021 | 2021-09-17 | 7 | cad | Sky Harbor Airlines | 71240 | Auberge du Plateau Vert | 109500
| Restaurants: Bistro Chez l’Écureuil 2600..12600 | Coffee Shops: Café Le Castor Éveillé 325..1650
London 2022 | 2022-06-10 | 9 | gbp | Sky Harbor Airlines | 247350 | The Chimney Sweep Inn | 128700
| Restaurants: Fox & Umbrella 1800..8600 | Public Transit: Tube & Bus Fares 165..1480 | Bars: The Crooked Pint 480..3600
Tokyo 2023 | 2023-10-05 | 13 | jpy | Pacific Crane Airways | 318720 | ホテル みなと灯 | 21450 | background=FFD6EA
| Restaurants: 寿司処 まる福 140..1280 | Groceries: 青空マート 中野店 26..310 | Gifts: 文具の月光堂 60..880
Paris 2024 | 2024-05-11 | 8 | eur | Sky Harbor Airlines | 284160 | Hôtel des Deux Hirondelles | 136800
| Restaurants: Le Petit Chaudron 2200..11400 | Coffee Shops: Boulangerie du Pont Vert 210..1480
Edinburgh 2025 | 2025-08-08 | 9 | gbp | Sky Harbor Airlines | 301980 | Thistle Close Apartments | 141300
| Restaurants: The Stag & Kettle 1900..9200 | Coffee Shops: Haar & Honey 310..1500 | Events: Fringe Booth 1000..5400
Berlin 2026 | 2026-06-19 | 10 | eur | Sky Harbor Airlines | 336240 | Pension Lindengrün | 127000 | background=FFF3B0
| Restaurants: Wirtshaus Zur Krähe 1900..8900 | Groceries: Späti an der Ecke 190..2400 | Kids: Fuchsbau 700..5200
`);

/** Split purchases: payee | account | category: payee, if it has its own, and range in cents | … */
export const splits = readTable(`
Harborside Warehouse Club | cashBackCard | notes=Stocked up 🎁 | Groceries: 4900..16500 | Household Supplies: 1900..9900
| Clothing: 1500..7900 | Gifts: 900..4900
Cartwheel Online | travelCard | Electronics: 2900..14900 | Books & Games: 900..4500 | Household Supplies: 900..6900
Conference Center Hotel | travelCard | tags=reimbursable | Work Expenses: Conference Center Hotel – room 28900..69500
| Work Expenses: Conference Center Hotel – meals 4900..16500 | Bars: Conference Center Hotel – lobby bar 1400..4900
Big Timber Home Center | creditUnion | from=2020-11-01 | Repairs & Garden: 6900..38000 | Household Supplies: 1900..12000
`);

/**
 * Groups of rows: name | account | category: payee and range in cents | …, each on its own day. Negative cents are
 * money in to checking; `category` is that of the group if its members have several.
 */
export const groups = readTable(`
Dinner with friends | travelCard | notes=Our share 🍝 | Restaurants: Brasserie Chloé 14800..26900
| Restaurants: Payback from Robin -5200..-3600 | Restaurants: Payback from Jules -5200..-3600
Weekend at the coast | travelCard | notes=🌊 | Fuel: Roadrunner Fuel 2800..5400 | Lodging: Driftwood Lodge 21900..38900
| Restaurants: Clam & Candle 4400..9800 | Sightseeing: Lighthouse Museum 1400..3600 | Takeaway: Tidepool Taffy 600..2200
Bathroom repair | creditUnion | from=2020-11-15 | tags=warranty | Repairs & Garden: Rain City Plumbing 28900..74000
| Repairs & Garden: Big Timber Home Center 8900..31000 | Repairs & Garden: Tile & Stone Yard 14500..52000
Conference in Toronto | travelCard | from=2018-02-01 | category=Work Expenses | currency=cad | tags=reimbursable
| Work Expenses: Maple & Main Hotel 42000..78000 | Public Transit: Streetcar Pass 325..1350
`);

/** A row of a text table: cells of the form `key=value` by their keys, and all other cells in order. */
export interface Row {
  readonly cells: readonly string[];
  readonly options: Readonly<Partial<Record<string, string>>>;
}

/** Parses a table: a row per line, cells separated by `|`. A line that starts with `|` continues the row above. */
export function readTable(text: string): Row[] {
  const lines = text.replaceAll('\n|', '|').split('\n');
  return lines.filter((line) => line !== '').map(readRow);
}

function readRow(line: string): Row {
  const all = line.split('|').map((cell) => cell.trim());
  const isOption = (cell: string) => /^[a-z]+=/.test(cell);
  const options = all.filter(isOption).map((cell) => cell.split(/=(.*)/) as [string, string]);
  return { cells: all.filter((cell) => !isOption(cell)), options: Object.fromEntries(options) };
}
