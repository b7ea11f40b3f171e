/** Somebody who is paid again and again, and the price range in cents of 2016. */
export type Merchant = readonly [payee: string, leastCents: number, mostCents: number];

/** The shops of the town, by what one goes there for. All names are invented. */
export const merchants = {
  groceries: [
    ['Alder & Rye Market', 1800, 14500],
    ['Green Basket Grocery', 900, 11800],
    ['Northgate Foods', 2500, 18900],
    ['Sunny Acre Farm Stand', 600, 4200],
    ['Little Saigon Market Hall', 800, 6400],
    ['Penny Pantry', 450, 5300],
  ],
  restaurants: [
    ['The Tin Lantern', 3200, 12400],
    ['Basil & Brick', 2600, 9200],
    ['Taquería El Camino Largo', 1500, 6200],
    ['Noodle House 88', 1700, 6100],
    ['Saffron Table', 2800, 9800],
    ['Old Mill Pancake House', 1600, 5400],
    ['Brasserie Chloé', 4800, 18500],
    ['Harvest Moon Pizza', 1400, 5200],
  ],
  coffee: [
    ['Kettle & Crane Coffee', 325, 1150],
    ['Café Ümlaut', 350, 1300],
    ['Third Street Roasters', 300, 1600],
    ['Bluebird Bakery', 280, 1450],
    ['Drip Drop Espresso', 300, 790],
  ],
  takeaway: [
    ['Golden Wok Express', 1100, 4200],
    ['Burrito Depot', 850, 3100],
    ['Falafel Corner', 900, 2600],
    ['QuickBite Delivery', 1900, 6300],
    ['Sandwich Works', 750, 2100],
    ['Curry in a Hurry', 1200, 3900],
  ],
  bars: [
    ['Rusty Anchor Taproom', 700, 5200],
    ['Hopyard Brewing', 900, 6100],
    ['Velvet Hour Cocktails', 1400, 8800],
  ],
  fuel: [
    ['Roadrunner Fuel', 1900, 5600],
    ['Pine Ridge Gas & Go', 1800, 5400],
    ['Interstate Travel Plaza', 2200, 6200],
  ],
  transit: [
    ['Metro Transit Fare', 250, 500],
    ['Streetcar Ticket Kiosk', 200, 400],
    ['Cascadia Rail', 1900, 7200],
  ],
  taxi: [
    ['ZipHop Rides', 850, 3900],
    ['Radio Cab Co-op', 1200, 4600],
  ],
  parking: [
    ['City Parking Meter', 160, 800],
    ['SmartPark Garage 4', 500, 2200],
    ['Bridge Toll Authority', 275, 550],
  ],
  carCare: [
    ['Lug Nut Tire Center', 4200, 64000],
    ['Main Street Auto Repair', 8900, 92000],
    ['Sudsy Duck Car Wash', 900, 2400],
    ['Quick Lube 12', 4400, 8900],
  ],
  household: [
    ['Hammer & Hinge Hardware', 600, 14200],
    ['Everyday Goods', 900, 9800],
    ['Linen Loft', 1800, 15600],
    ['Dollar Cottage', 300, 2600],
    ['Cartwheel Online', 800, 11900],
  ],
  repairs: [
    ['Big Timber Home Center', 1200, 42000],
    ['Rain City Plumbing', 14500, 68000],
    ['Moss & Fern Nursery', 900, 9600],
    ['Bright Spark Electric', 12900, 54000],
  ],
  clothing: [
    ['Thread & Thimble', 1900, 14800],
    ['Sole Mates Shoes', 3900, 16500],
    ['North Trail Outfitters', 2400, 28900],
    ['Secondhand Rose', 700, 5200],
    ['Cartwheel Online', 1500, 9900],
  ],
  electronics: [
    ['Volt & Wire', 1900, 38000],
    ['Pixelwright Computers', 2900, 64000],
    ['Cartwheel Online', 1200, 18900],
  ],
  doctor: [
    ['Willow Creek Family Medicine', 2500, 24000],
    ['Bright Smile Dental', 4500, 41000],
    ['Clearview Optometry', 3900, 32000],
    ['Lakeside Physical Therapy', 3500, 9500],
  ],
  pharmacy: [
    ['Corner Apothecary', 450, 5400],
    ['Wellspring Pharmacy', 600, 7200],
  ],
  personalCare: [
    ['Snip & Story Barbers', 2600, 4800],
    ['Salon Solène', 5500, 16500],
    ['Soap Kitchen', 700, 4300],
  ],
  books: [
    ['Dog-Eared Books', 800, 5600],
    ['Meeple Junction Games', 1500, 8900],
    ['Papertrail Comics', 500, 3400],
    ['ReadAhead E-Books', 299, 1699],
  ],
  events: [
    ['Orpheum Picture House', 1200, 5400],
    ['City Symphony Box Office', 4200, 19800],
    ['Riverfront Ballpark', 2800, 14600],
    ['Museum of Natural Wonders', 1500, 6400],
    ['Laughing Otter Comedy Club', 2200, 7800],
  ],
  pets: [
    ['Paws & Whiskers Supply', 1200, 9800],
    ['Elm Street Veterinary Clinic', 6500, 48000],
    ['Muddy Paws Grooming', 4500, 8200],
  ],
  kids: [
    ['Little Lark Baby Outfitters', 900, 9400],
    ['Toybox Tommy’s', 800, 6900],
    ['Tumble Tots Gym', 1800, 9600],
    ['Bedtime Story Books', 700, 3800],
  ],
  gifts: [
    ['Paper Crane Gifts', 900, 8800],
    ['Toybox Tommy’s', 1200, 8400],
    ['Wildflower Florist', 2800, 9600],
    ['Cartwheel Online', 1800, 16900],
  ],
  donations: [
    ['Public Radio Pledge', 2500, 15000],
    ['Literacy Project of the Valley', 2000, 12000],
    ['River Keepers', 1500, 10000],
  ],
  work: [
    ['Sky Harbor Airlines', 14900, 68000],
    ['Conference Center Hotel', 11900, 52000],
    ['Copy & Bind Office Supply', 700, 9400],
    ['Client Lunch – The Tin Lantern', 3400, 15800],
    ['ZipHop Rides', 1400, 5200],
  ],
  bankFees: [
    ['Out-of-Network ATM Fee', 250, 500],
    ['Foreign Transaction Fee', 90, 900],
    ['Wire Transfer Fee', 1500, 3000],
  ],
  market: [
    ['Saturday Farmers Market', 400, 3800],
    ['Strawberry Stand', 300, 1400],
  ],
  stalls: [
    ['Food Cart', 600, 1800],
    ['School Bake Sale', 200, 1200],
    ['Ballpark Peanuts', 300, 1100],
  ],
  thrift: [
    ['Neighborhood Yard Sale', 200, 4500],
    ['Flea Market', 300, 3900],
    ['Laundromat', 300, 1200],
  ],
} as const satisfies Record<string, readonly Merchant[]>;
