import { csvOf } from '../../books/reports/csv.ts';
import { saveFile } from '../../parts/download.ts';
import { pictureOf } from '../../parts/charts/picture.ts';

/** Saves a table as CSV. */
export function saveTable(name: string, table: readonly (readonly string[])[]): void {
  saveFile(`${name}.csv`, new Blob([csvOf(table)], { type: 'text/csv' }));
}

/** Saves the chart of the screen as a picture, if it has one. */
export async function savePicture(name: string): Promise<void> {
  const figure = document.querySelector<HTMLElement>('main figure.card');
  if (figure === null) return;
  const title = document.querySelector('main h1')?.textContent ?? '';
  saveFile(`${name}.png`, await pictureOf(figure, title));
}
