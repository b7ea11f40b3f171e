const gapPx = 4;
const leastHeightPx = 160;
const mostHeightPx = 320;

/** Places a list of the top layer below what it belongs to, or above it where there is more room. */
export function placeBelow(list: HTMLElement, anchor: DOMRect): void {
  const below = innerHeight - anchor.bottom - 2 * gapPx;
  const isAbove = below < leastHeightPx && anchor.top > below;
  const { style } = list;
  style.left = `${Math.max(gapPx, Math.min(anchor.left, innerWidth - list.offsetWidth - gapPx))}px`;
  style.minWidth = `${anchor.width}px`;
  style.maxHeight = `${Math.min(isAbove ? anchor.top - 2 * gapPx : below, mostHeightPx)}px`;
  if (isAbove) style.bottom = `${innerHeight - anchor.top + gapPx}px`;
  else style.top = `${anchor.bottom + gapPx}px`;
}
