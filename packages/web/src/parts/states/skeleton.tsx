import type { ReactElement } from 'react';

/** Lines in the place of what is being loaded, with a text for screen readers. */
export function Skeleton(props: { readonly label: string; readonly lines: number }): ReactElement {
  const { label, lines } = props;
  return (
    <div className="skeleton" role="status" aria-busy="true">
      <span className="hidden">{label}</span>
      {Array.from({ length: lines }, (_each, line) => (
        <span key={line} className="skeleton-line" />
      ))}
    </div>
  );
}
