import { useEffect, type ReactElement, type ReactNode } from 'react';
import { Link } from 'wouter';

/** The title of a screen, which is the title of the document too, and its actions. */
export function PageHeader(props: {
  readonly title: string;
  /** A short line below the title. */
  readonly summary?: ReactNode;
  /** Buttons at the end of the line. */
  readonly children?: ReactNode;
}): ReactElement {
  const { title, summary, children } = props;
  useEffect(() => {
    document.title = `${title} – Coffer`;
  }, [title]);
  return (
    <header className="page-header">
      <div>
        <h1>{title}</h1>
        {summary !== undefined && <p className="summary">{summary}</p>}
      </div>
      {children !== undefined && <div className="actions">{children}</div>}
    </header>
  );
}

/** A section of a screen, with a URL of its own. */
export interface SectionLink {
  readonly href: string;
  readonly label: string;
}

/** Links to the sections of a screen; the one that is shown is marked. */
export function SectionLinks(props: {
  readonly label: string;
  readonly links: readonly SectionLink[];
  /** The `href` of the section that is shown. */
  readonly current: string;
}): ReactElement {
  const { label, links, current } = props;
  return (
    <nav className="section-links" aria-label={label}>
      <ul>
        {links.map(({ href, label: text }) => (
          <li key={href}>
            <Link href={href} aria-current={href === current ? 'page' : undefined}>
              {text}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
