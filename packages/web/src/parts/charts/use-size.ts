import { useLayoutEffect, useRef, useState } from 'react';
import type { RefObject } from 'react';

/** The room of a chart in pixels, and the size of its text. */
export interface ChartSize {
  /** 0 until it was measured. */
  readonly width: number;
  /** 0 until it was measured; that of the drawing, unless a style gives the element another. */
  readonly height: number;
  /** Pixels of the text of the root, so that margins grow with the text. */
  readonly rem: number;
}

/** Measures the element of a chart, again each time that it changes. */
export function useSize(): readonly [RefObject<HTMLDivElement | null>, ChartSize] {
  const element = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState<ChartSize>({ width: 0, height: 0, rem: 16 });
  useLayoutEffect(() => {
    const measured = element.current;
    if (measured === null) return;
    const measure = (): void => {
      const rem = Number.parseInt(getComputedStyle(document.documentElement).fontSize, 10);
      const [width, height] = [measured.clientWidth, measured.clientHeight].map(Math.floor);
      setSize({ width: width!, height: height!, rem });
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(measured);
    return () => observer.disconnect();
  }, []);
  return [element, size];
}
