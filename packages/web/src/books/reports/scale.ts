/** From a domain of numbers to pixels. */
export type Scale = (value: number) => number;

/** Returns the linear scale that leads from one range to the other; to the middle of a domain without length. */
export function linearScale(
  [first, last]: readonly [number, number],
  [from, to]: readonly [number, number],
): Scale {
  const length = last - first;
  if (length === 0) return () => (from + to) / 2;
  return (value) => from + ((value - first) / length) * (to - from);
}

/** The round step (1, 2 or 5 times a power of ten) that divides a length into about `count` parts. */
function roundStep(length: number, count: number): number {
  const raw = length / count;
  const power = 10 ** Math.floor(Math.log10(raw));
  const error = raw / power;
  // The borders are the geometric means between 1, 2, 5 and 10.
  return (
    power * (error >= Math.sqrt(50) ? 10 : error >= Math.sqrt(10) ? 5 : error >= Math.SQRT2 ? 2 : 1)
  );
}

/** Returns the round numbers between two numbers, about `count` of them; none when there is nothing between. */
export function roundTicks(low: number, high: number, count: number): number[] {
  if (!(high > low)) return [];
  const step = roundStep(high - low, count);
  const [first, last] = [Math.ceil(low / step), Math.floor(high / step)];
  return Array.from({ length: last - first + 1 }, (_, at) => (first + at) * step);
}

/** Returns the end of an axis from 0 that has a value in it: the next one of its round numbers. */
export function roundEnd(high: number, count: number): number {
  const step = roundStep(high, count);
  const end = Math.ceil(high / step) * step;
  // A longer axis may have other round numbers.
  return roundStep(end, count) === step ? end : roundEnd(end, count);
}

/** A point of a chart in pixels. */
export type Point = readonly [x: number, y: number];

/** Returns the path through the points: straight, or by steps that keep a height until the next point. */
export function linePath(points: readonly Point[], isStepped = false): string {
  return points
    .map(([x, y], at) => {
      if (at === 0) return `M${x},${y}`;
      return isStepped ? `H${x}V${y}` : `L${x},${y}`;
    })
    .join('');
}

/** Returns the path of the area between a line and a height. */
export function areaPath(points: readonly Point[], base: number, isStepped = false): string {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return '';
  return `${linePath(points, isStepped)}L${last[0]},${base}H${first[0]}Z`;
}
