import { sankey, sankeyJustify } from 'd3-sankey';
import type { SankeyGraph, SankeyLink, SankeyNode } from 'd3-sankey';
import type { ReactElement } from 'react';
import { Sum, useSumText } from '../money.tsx';
import { Mark, Tooltip, useMarks, useSize, type Marks } from './chart.tsx';

/** A place of a flow. */
export interface SankeyPlace {
  readonly key: string;
  readonly name: string;
  /** 1 to 6. */
  readonly colour: number;
  /** Ten-thousandths. */
  readonly units: bigint;
  /** What is behind it; null for nothing. */
  readonly href: string | null;
}

/** Money between two places. */
export interface SankeyStream {
  readonly from: string;
  readonly to: string;
  readonly units: bigint;
}

type Node = SankeyNode<SankeyPlace, object>;

/** The middle of a stream: level at both ends, and steepest between them. */
function pathOf({ source, target, y0 = 0, y1 = 0 }: SankeyLink<SankeyPlace, object>): string {
  const [{ x1: start = 0 }, { x0: end = 0 }] = [source as Node, target as Node];
  const middle = (start + end) / 2;
  return `M${start},${y0}C${middle},${y0},${middle},${y1},${end},${y1}`;
}

/** A flow of money as a Sankey diagram: the height of a place is its amount. */
export function Sankey(props: {
  readonly label: string;
  readonly places: readonly SankeyPlace[];
  readonly streams: readonly SankeyStream[];
  readonly currency: string;
}): ReactElement {
  const { label, places, streams, currency } = props;
  const [element, { width, rem }] = useSize();
  const height = heightOf(places, rem);
  const graph = width < 10 * rem ? null : layout(places, streams, { width, height, rem });
  const nodes = graph?.nodes ?? [];
  const marks = useMarks(nodes.length);
  const shown = marks.active === null ? undefined : nodes[marks.active];
  return (
    <div className="chart" ref={element}>
      <svg width={width} height={height} role="group" aria-label={label} {...marks.handlers}>
        <g aria-hidden="true">
          {graph?.links.map((link) => {
            const [from, to] = [link.source as Node, link.target as Node];
            const isLit = shown !== undefined && (from === shown || to === shown);
            return (
              <path
                key={`${from.key} ${to.key}`}
                className={`chart-stream ${isLit ? 'lit' : ''} colour-${colourOf(from, to)}`}
                d={pathOf(link)}
                strokeWidth={Math.max(1, link.width ?? 1)}
              />
            );
          })}
        </g>
        <g>
          {nodes.map((node, at) => (
            <PlaceMark
              key={node.key}
              node={node}
              side={sideOf(node, width)}
              currency={currency}
              {...marks.propsOf(at)}
            />
          ))}
        </g>
      </svg>
      {shown !== undefined && (
        <Tooltip x={shown.x1 ?? 0} y={shown.y0 ?? 0} width={width}>
          <p className="chart-tooltip-title">{shown.name}</p>
          <Sum units={shown.units} currency={currency} />
        </Tooltip>
      )}
    </div>
  );
}

/** Room for a line of text next to each place of the fullest column. */
function heightOf(places: readonly SankeyPlace[], rem: number): number {
  return Math.max(22, places.length * 1.1) * rem;
}

function layout(
  places: readonly SankeyPlace[],
  streams: readonly SankeyStream[],
  { width, height, rem }: { readonly width: number; readonly height: number; readonly rem: number },
): SankeyGraph<SankeyPlace, object> {
  const make = sankey<SankeyPlace, object>()
    .nodeId(({ key }) => key)
    .nodeAlign(sankeyJustify)
    .nodeSort(null)
    .nodeWidth(0.6 * rem)
    .nodePadding(1.05 * rem)
    .extent([
      [1, 1.5 * rem],
      [width - 1, height - rem],
    ]);
  return make({
    nodes: places.map((place) => ({ ...place })),
    links: streams.map(({ from, to, units }) => ({
      source: from,
      target: to,
      value: Number(units) / 10_000,
    })),
  });
}

/** A stream has the colour of the category, not that of the income it passes through. */
function colourOf(from: Node, to: Node): number {
  return (from.sourceLinks?.length ?? 0) > 1 && (to.targetLinks?.length ?? 0) === 1
    ? to.colour
    : from.colour;
}

/** Where the name of a place is. */
type NameSide = 'start' | 'end' | 'above';

/** Names are inside of the chart; that of the place through which all streams go is above it, away from the others. */
function sideOf(
  { x0 = 0, depth, sourceLinks = [], targetLinks = [] }: Node,
  width: number,
): NameSide {
  if (depth === 1 && sourceLinks.length > 1 && targetLinks.length > 0) return 'above';
  return x0 > width / 2 ? 'end' : 'start';
}

const anchors = { start: 'start', end: 'end', above: 'middle' } as const;
const shifts = { start: '0.5em', end: '-0.5em', above: '0' } as const;

function PlaceMark(
  props: ReturnType<Marks['propsOf']> & {
    readonly node: Node;
    readonly side: NameSide;
    readonly currency: string;
  },
): ReactElement {
  const { node, side, currency, ...rest } = props;
  const text = useSumText(currency);
  const { x0 = 0, x1 = 0, y0 = 0, y1 = 0 } = node;
  const height = Math.max(1, y1 - y0);
  return (
    <Mark href={node.href} aria-label={`${node.name}: ${text(node.units)}`} {...rest}>
      <rect className="chart-hit" x={x0 - 4} y={y0 - 4} width={x1 - x0 + 8} height={height + 8} />
      <rect
        className={`chart-part colour-${node.colour}`}
        x={x0}
        y={y0}
        width={x1 - x0}
        height={height}
      />
      <text
        className="chart-name"
        x={{ start: x1, end: x0, above: (x0 + x1) / 2 }[side]}
        dx={shifts[side]}
        y={side === 'above' ? y0 : y0 + height / 2}
        dy={side === 'above' ? '-0.5em' : '0.32em'}
        textAnchor={anchors[side]}
      >
        {node.name}
      </text>
    </Mark>
  );
}
