import { useEffect } from 'react';
import type { ReactElement, ReactNode } from 'react';
import { Icon } from '../../parts/icon.tsx';
import { shell } from '../../texts/en/shell.ts';

/** The frame of pages for those who are not signed in. */
export function Entrance(props: {
  readonly title: string;
  readonly children: ReactNode;
}): ReactElement {
  const { title, children } = props;
  useEffect(() => {
    document.title = `${title} – ${shell.name}`;
  }, [title]);
  return (
    <main className="entrance">
      <div className="entrance-card">
        <p className="brand">
          <Icon name="logo" />
          {shell.name}
        </p>
        <h1>{title}</h1>
        {children}
      </div>
    </main>
  );
}
