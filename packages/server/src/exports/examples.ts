const columns = 'id,date,amount,currency,payee,notes,account,category,tags,status,external_id';
const row =
  '5120,2026-03-14,-7.4000,eur,Corner Bakery,,Checking,Groceries,Holiday,reviewed,2026-03-14-0007';
const book = { type: 'book', id: 1, name: 'My book', primary_currency: 'eur' };
const tag = {
  type: 'tag',
  id: 4,
  name: 'Holiday',
  description: null,
  text_color: null,
  background_color: null,
  created_at: '2026-03-15T06:30:00.250Z',
  updated_at: '2026-03-15T06:30:00.250Z',
  archived: false,
  archived_at: null,
};

/** Example files by their media types. */
export const exportExamples = {
  'text/csv': {
    some: { summary: 'One transaction', value: `${columns}\n${row}\n` },
    none: { summary: 'An empty book', value: `${columns}\n` },
  },
  'application/x-ndjson': {
    some: {
      summary: 'A book with one tag',
      value: [book, tag].map((record) => `${JSON.stringify(record)}\n`).join(''),
    },
  },
  'application/gzip': {},
};
