import type { ReactElement } from 'react';
import { Link } from 'wouter';

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
