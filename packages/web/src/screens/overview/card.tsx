import type { ReactElement, ReactNode } from 'react';
import { useId } from 'react';
import { Link } from 'wouter';
import { LoadFailure } from '../flow/loaded.tsx';

/** A card of the overview. */
export interface CardProps {
  readonly title: ReactNode;
  /** Its place in the grid. */
  readonly name: string;
  /** A link at the end of the head. */
  readonly more?: { readonly href: string; readonly label: string };
  /** What is read for it. */
  readonly query: {
    readonly isError: boolean;
    readonly error: unknown;
    readonly refetch: () => unknown;
  };
  /** Null while it is read. */
  readonly children: ReactNode;
}

/** A card with its title; its outline while it is read, and what happened when it could not be. */
export function Card({ title, name, more, query, children }: CardProps): ReactElement {
  const id = useId();
  const isFailed = query.isError && children === null;
  return (
    <section className={`card overview-card ${name}`} aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {more !== undefined && <Link href={more.href}>{more.label}</Link>}
      </header>
      {isFailed ? (
        <LoadFailure {...query} />
      ) : (
        (children ?? <div className="card-outline" aria-busy="true" />)
      )}
    </section>
  );
}

/** The place of a chart while its code is loaded. Its height is in `rem`. */
export function ChartOutline({ height }: { readonly height: number }): ReactElement {
  return <div className="card-outline" aria-busy="true" style={{ minHeight: `${height}rem` }} />;
}
