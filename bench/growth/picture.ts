import { writeFileSync } from 'node:fs';
import type { Figure } from '../report/figure.ts';
import type { Stamp } from '../report/results.ts';
import { sameRows, bookCount } from './fill.ts';
import { operations, type OperationName } from './requests.ts';

export const measuredBooks = ['same', 'growing'] as const;

export interface GrowthLine {
  readonly book: (typeof measuredBooks)[number];
  readonly operation: OperationName;
  readonly rowsOfBook: readonly number[];
  readonly ms: readonly number[];
  /** The cost in the largest database against that in the smallest: the median of the ratios of the rounds. */
  readonly growth: number;
}

export interface Growth {
  /** Ascending. */
  readonly sizes: readonly number[];
  readonly lines: readonly GrowthLine[];
}

export const resultFile = new URL('../results/growth.json', import.meta.url);
export const pictureFile = new URL('../../docs/images/growth.svg', import.meta.url);

export function writeGrowth(stamp: Stamp, growth: Growth, figures: readonly Figure[]): void {
  const { date, commit, machine } = stamp;
  const result = { date, commit, machine, ...growth, figures };
  writeFileSync(resultFile, `${JSON.stringify(result, null, 2)}\n`);
  writeFileSync(pictureFile, drawPicture(growth));
}

const title = 'Processor time of a request, by the number of transactions';
const panels = {
  same: {
    name: 'Other books grow',
    subtitle: `One of ${bookCount} books, with ${sameRows.toLocaleString('en')} transactions`,
    axis: 'transactions in the database',
  },
  growing: {
    name: 'The book grows, too',
    subtitle: `One of ${bookCount} books, with a tenth of all`,
    axis: 'transactions in the book',
  },
};

const width = 880;
const plot = { top: 124, bottom: 404, width: 216 };
const height = plot.bottom + 64;
/** From the left edge of a plot to that of the next one: its labels stand between them. */
const panelWidth = 410;
const firstLeft = 76;
const labelGap = 14;
const lineHeight = 17;

const style = [
  'text{font:13px system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;fill:#4b5550}',
  '.card{fill:#fbfcfb;stroke:#dde3df}.head{font-size:15px}.head,.name{font-weight:600;fill:#151a17}',
  '.grid{stroke:#e3e8e5}.tie{stroke:#b4bdb8}.line{fill:none;stroke-width:1.75;stroke-linejoin:round}',
  '.list{--c:#0a7355}.sum{--c:#1f5fc4}.write{--c:#a8480c}',
  'path.line{stroke:var(--c)}circle,text.list,text.sum,text.write{fill:var(--c)}',
  '@media(prefers-color-scheme:dark){text{fill:#aeb8b2}.card{fill:#141715;stroke:#2b322e}.head,.name{fill:#fff}',
  '.grid{stroke:#29302c}.tie{stroke:#4c5751}.list{--c:#5fd0a8}.sum{--c:#86b5ff}.write{--c:#f2ac72}}',
].join('');

/** Draws costs by the number of transactions, both on logarithmic scales, as SVG. */
export function drawPicture({ sizes, lines }: Growth): string {
  const costs = lines.flatMap(({ ms }) => ms);
  const least = Math.floor(Math.log10(Math.min(...costs)));
  const scale = { least, most: Math.max(least + 1, Math.ceil(Math.log10(Math.max(...costs)))) };
  const drawn = measuredBooks.flatMap((book, at) => {
    const own = lines.filter((line) => line.book === book);
    const values = book === 'same' ? sizes : (own[0]?.rowsOfBook ?? []);
    const { name, subtitle, axis } = panels[book];
    const left = firstLeft + at * panelWidth;
    const right = left + plot.width;
    const place: Place = { x: xOf(values, left), y: yOf(scale), right };
    return [
      text(left, 76, name, 'name'),
      text(left, 96, subtitle),
      ...costTicks(scale, place, left),
      ...values.map((value) =>
        text(place.x(value), plot.bottom + 22, shortNumber(value), '', 'middle'),
      ),
      text((left + right) / 2, plot.bottom + 46, axis, '', 'middle'),
      ...own.flatMap((line) => drawLine(line, values, place)),
      ...drawLabels(own, place),
    ];
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="t d">`,
    `<title id="t">${title}</title>`,
    `<desc id="d">${lines.map(describe).join(' ')}</desc>`,
    `<style>${style}</style>`,
    `<rect class="card" x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="10"/>`,
    text(24, 38, title, 'head'),
    ...drawn,
    '</svg>\n',
  ].join('\n');
}

function describe({ book, operation, ms }: GrowthLine): string {
  const values = ms.map((each) => Number(each.toPrecision(2)));
  return `${panels[book].name}: ${operations[operation].label} ${values.join(', ')} ms.`;
}

/** The powers of ten between which all costs are, as exponents. */
interface Scale {
  readonly least: number;
  readonly most: number;
}

interface Place {
  readonly x: (value: number) => number;
  readonly y: (ms: number) => number;
  readonly right: number;
}

function xOf(values: readonly number[], left: number): Place['x'] {
  const first = Math.log10(values[0]!);
  const range = Math.log10(values.at(-1)!) - first;
  return (value) => left + ((Math.log10(value) - first) / range) * plot.width;
}

function yOf({ least, most }: Scale): Place['y'] {
  const decade = (plot.bottom - plot.top) / (most - least);
  return (ms) => plot.bottom - (Math.log10(ms) - least) * decade;
}

function costTicks({ least, most }: Scale, { y, right }: Place, left: number): string[] {
  return Array.from({ length: most - least + 1 }, (_, at) => least + at).flatMap((exponent) => {
    const height = y(10 ** exponent);
    const label = (10 ** exponent).toFixed(Math.max(0, -exponent));
    return [
      `<path class="grid" d="M${point(left, height)}H${right}"/>`,
      text(left - 8, height + 4, `${label} ms`, '', 'end'),
    ];
  });
}

function drawLine(
  { operation, ms }: GrowthLine,
  values: readonly number[],
  place: Place,
): string[] {
  const points = ms.map((each, at) => [place.x(values[at]!), place.y(each)] as const);
  const path = points.map(([x, y]) => point(x, y)).join('L');
  const dots = points.map(([x, y]) => `<circle cx="${short(x)}" cy="${short(y)}" r="2.5"/>`);
  const { kind } = operations[operation];
  return [`<g class="${kind}">`, `<path class="line" d="M${path}"/>`, dots.join(''), '</g>'];
}

function drawLabels(lines: readonly GrowthLine[], { y, right }: Place): string[] {
  const ends = lines.map(({ operation, ms }) => {
    return { ...operations[operation], end: y(ms.at(-1)!) };
  });
  const sorted = ends.toSorted((a, b) => a.end - b.end);
  const places = spread(sorted.map(({ end }) => end));
  return sorted.flatMap(({ label, kind, end }, at) => [
    `<path class="tie" d="M${point(right + 4, end)}L${point(right + labelGap - 3, places[at]!)}"/>`,
    text(right + labelGap, places[at]! + 4, label, kind),
  ]);
}

/**
 * Returns positions in the order of the wanted ones, which ascend, at least {@link lineHeight} apart and none below the
 * plot. Labels that would overlap form a block around the mean of their wanted positions.
 */
export function spread(wanted: readonly number[]): number[] {
  const blocks: { sum: number; count: number }[] = [];
  const startOf = ({ sum, count }: { sum: number; count: number }): number =>
    Math.min(sum / count - ((count - 1) / 2) * lineHeight, plot.bottom - (count - 1) * lineHeight);
  for (const each of wanted) {
    blocks.push({ sum: each, count: 1 });
    for (;;) {
      const [above, below] = blocks.slice(-2);
      if (below === undefined || startOf(above!) + above!.count * lineHeight <= startOf(below))
        break;
      blocks.splice(-2, 2, { sum: above!.sum + below.sum, count: above!.count + below.count });
    }
  }
  return blocks.flatMap((block) =>
    Array.from({ length: block.count }, (_, at) => startOf(block) + at * lineHeight),
  );
}

function text(x: number, y: number, content: string, kind = '', anchor = ''): string {
  const attributes = [kind && ` class="${kind}"`, anchor && ` text-anchor="${anchor}"`].join('');
  return `<text x="${short(x)}" y="${short(y)}"${attributes}>${content}</text>`;
}

function point(x: number, y: number): string {
  return `${short(x)} ${short(y)}`;
}

function short(value: number): string {
  return String(Math.round(value * 10) / 10);
}

/** Returns a number of transactions with at most two digits that count: `10,000`, `1.2 million`. */
export function shortNumber(value: number): string {
  const rounded = Number(value.toPrecision(2));
  return rounded >= 1e6
    ? `${(rounded / 1e6).toLocaleString('en')} million`
    : rounded.toLocaleString('en');
}
