import { csvOf } from '../../books/reports/csv.ts';

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

/** Gives a file to the browser, which saves it. */
function saveFile(name: string, file: Blob): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}

/** What of a computed style an SVG has as attributes. */
const attributes = [
  ...(['fill', 'fill-opacity', 'stroke', 'stroke-width', 'stroke-opacity', 'opacity'] as const),
  ...(['stroke-dasharray', 'font-family', 'font-size', 'font-weight', 'text-anchor'] as const),
];
const padding = 24;
const titleHeight = 40;
/** Pixels of the picture for one of the page. */
const density = 2;
const svgName = 'http://www.w3.org/2000/svg';

/** Returns a chart as a PNG picture: its title, its legend, and the drawing, in the colours of the page. */
async function pictureOf(figure: HTMLElement, title: string): Promise<Blob> {
  const { width, height } = figure.getBoundingClientRect();
  const size = { width: width + 2 * padding, height: height + 2 * padding + titleHeight };
  const page = element('svg', {
    xmlns: svgName,
    ...size,
    viewBox: `0 0 ${size.width} ${size.height}`,
  });
  const style = getComputedStyle(figure);
  page.append(element('rect', { ...size, fill: style.backgroundColor }));
  page.append(textAt(title, padding, padding + 16, style, 18));
  const content = element('g', { transform: `translate(${padding} ${padding + titleHeight})` });
  content.append(...legendOf(figure));
  const drawing = figure.querySelector<SVGSVGElement>('.chart svg');
  if (drawing !== null) content.append(drawn(drawing, figure));
  page.append(content);
  return painted(new XMLSerializer().serializeToString(page), size);
}

function element(name: string, values: Readonly<Record<string, string | number>>): SVGElement {
  const made = document.createElementNS(svgName, name);
  for (const [key, value] of Object.entries(values)) made.setAttribute(key, String(value));
  return made;
}

function textAt(text: string, x: number, y: number, style: CSSStyleDeclaration, size?: number) {
  const made = element('text', {
    x,
    y,
    fill: style.color,
    'font-family': style.fontFamily,
    'font-size': size ?? style.fontSize,
    'font-weight': size === undefined ? style.fontWeight : 600,
  });
  made.textContent = text;
  return made;
}

/** The items of the legend, where they are in the figure. */
function legendOf(figure: HTMLElement): SVGElement[] {
  const origin = figure.getBoundingClientRect();
  return [...figure.querySelectorAll<HTMLElement>('.chart-legend li')].flatMap((item) => {
    const box = item.getBoundingClientRect();
    const swatch = item.querySelector('.swatch')?.getBoundingClientRect();
    const fill = getComputedStyle(item.querySelector('.swatch') ?? item).backgroundColor;
    const [x, y] = [(swatch ?? box).x - origin.x, (swatch ?? box).y - origin.y];
    const [width, height] = [swatch?.width ?? 0, swatch?.height ?? 0];
    const baseline = box.y - origin.y + box.height * 0.7;
    const style = getComputedStyle(item);
    return [
      element('rect', { x, y, width, height, rx: 2, fill }),
      textAt(item.textContent.trim(), x + width + 8, baseline, style),
    ];
  });
}

/** A copy of the drawing with the styles of the page as attributes. */
function drawn(drawing: SVGSVGElement, figure: HTMLElement): SVGElement {
  const copy = drawing.cloneNode(true) as SVGSVGElement;
  const [from, to] = [drawing, copy].map((each) => [...each.querySelectorAll('*')]);
  from!.forEach((each, place) => {
    const style = getComputedStyle(each);
    for (const name of attributes) to![place]!.setAttribute(name, style.getPropertyValue(name));
  });
  const [box, origin] = [drawing.getBoundingClientRect(), figure.getBoundingClientRect()];
  copy.setAttribute('x', String(box.x - origin.x));
  copy.setAttribute('y', String(box.y - origin.y));
  return copy;
}

async function painted(
  svg: string,
  { width, height }: { readonly width: number; readonly height: number },
): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [width * density, height * density];
  canvas.getContext('2d')!.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done, fail) => {
    canvas.toBlob((blob) => {
      if (blob === null) fail(new Error('The browser cannot make the picture'));
      else done(blob);
    }, 'image/png');
  });
}
