import { useEffect } from 'react';
import type { ReactElement, ReactNode } from 'react';

/** The head of a screen. */
export interface PageHeaderProps {
  readonly title: string;
  /** A short line below the title. */
  readonly summary?: ReactNode;
  /** Buttons at the end of the line. */
  readonly children?: ReactNode;
}

/** The title of a screen, which is the title of the document too, and its actions. */
export function PageHeader({ title, summary, children }: PageHeaderProps): ReactElement {
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
