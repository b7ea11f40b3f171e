import { readFileSync, writeFileSync } from 'node:fs';
import { withFigures } from './scale-document.ts';
import type { CapacityResult } from './scale-document.ts';

/** The latest result. */
export const resultFile = new URL('../results/capacity.json', import.meta.url);
/** The document that shows the figures. */
export const scaleDocument = new URL('../../docs/operate/scale.md', import.meta.url);

/** Saves the result, and writes it to the document. */
export function writeCapacity(result: CapacityResult): void {
  writeFileSync(resultFile, `${JSON.stringify(result, null, 2)}\n`);
  writeFileSync(scaleDocument, withFigures(readFileSync(scaleDocument, 'utf8'), result));
}
