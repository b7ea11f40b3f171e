import { mkdirSync, writeFileSync } from 'node:fs';
import type { Figure } from '../report/figure.ts';
import type { Stamp } from '../report/results.ts';
import { sameRows, bookCount } from './fill.ts';
import { drawPicture, type Picture, type PictureLine, type PicturePanel } from './picture.ts';
import type { OperationName } from './requests.ts';

export const measuredBooks = ['same', 'growing'] as const;

export type MeasuredBookName = (typeof measuredBooks)[number];

export interface GrowthLine {
  readonly book: MeasuredBookName;
  readonly operation: OperationName;
  readonly rowsOfBook: readonly number[];
  readonly ms: readonly number[];
  /** The cost in the largest database against that in the smallest: the median of the ratios of the rounds. */
  readonly growth: number;
}

export interface Growth {
  readonly sizes: readonly number[];
  readonly lines: readonly GrowthLine[];
}

const resultFile = new URL('../results/growth.json', import.meta.url);
const pictureFile = new URL('../../docs/images/growth.svg', import.meta.url);

const labels: Readonly<Record<OperationName, readonly [string, PictureLine['kind']]>> = {
  first: ['first page', 'list'],
  last: ['last page', 'list'],
  category: ['last of a category', 'list'],
  summary: ['summary of a year', 'sum'],
  search: ['search for a word', 'sum'],
  insert: ['insert of 1', 'write'],
  bulk: ['insert of 500', 'write'],
};

export function writeGrowth(stamp: Stamp, growth: Growth, figures: readonly Figure[]): void {
  const { date, commit, machine } = stamp;
  mkdirSync(new URL('.', resultFile), { recursive: true });
  const result = { date, commit, machine, ...growth, figures };
  writeFileSync(resultFile, `${JSON.stringify(result, null, 2)}\n`);
  writeFileSync(pictureFile, drawPicture(pictureOf(growth)));
}

export function pictureOf({ sizes, lines }: Growth): Picture {
  const of = (book: GrowthLine['book']): GrowthLine[] => lines.filter((each) => each.book === book);
  const growing = of('growing');
  return {
    title: 'Processor time of a request, by the number of transactions',
    description: lines.map(describe).join(' '),
    panels: [
      panel(of('same'), {
        title: 'Other books grow',
        subtitle: `One of ${bookCount} books, with ${sameRows.toLocaleString('en')} transactions`,
        ...{ axis: 'transactions in the database', values: sizes },
      }),
      panel(growing, {
        title: 'The book grows, too',
        subtitle: `One of ${bookCount} books, with a tenth of all`,
        ...{ axis: 'transactions in the book', values: growing[0]?.rowsOfBook ?? [] },
      }),
    ],
  };
}

function panel(lines: readonly GrowthLine[], rest: Omit<PicturePanel, 'lines'>): PicturePanel {
  return {
    ...rest,
    lines: lines.map(({ operation, ms }) => {
      const [label, kind] = labels[operation];
      return { label, kind, ms };
    }),
  };
}

function describe({ book, operation, ms }: GrowthLine): string {
  const where = book === 'same' ? 'Other books grow' : 'The book grows, too';
  const values = ms.map((each) => Number(each.toPrecision(2)));
  return `${where}: ${labels[operation][0]} ${values.join(', ')} ms.`;
}
