import {
  lazy,
  type ComponentType,
  type LazyExoticComponent,
  type ReactElement,
  type ReactNode,
} from 'react';
import { partTexts } from '../texts/en/parts.ts';
import { Icon, type IconName } from './icon.tsx';

/** Says what is missing, and what to do next. */
export function EmptyState(props: {
  readonly icon: IconName;
  readonly title: string;
  /** What to do next. */
  readonly hint?: ReactNode;
  /** Buttons or links. */
  readonly children?: ReactNode;
}): ReactElement {
  const { icon, title, hint, children } = props;
  return (
    <div className="empty">
      <Icon name={icon} />
      <h2>{title}</h2>
      {hint !== undefined && <p>{hint}</p>}
      {children !== undefined && <div className="actions">{children}</div>}
    </div>
  );
}

/** A bar for work that takes longer than a moment. */
export function Progress(props: {
  readonly label: string;
  /** From 0 to 1; undefined when it is not known. */
  readonly value?: number;
}): ReactElement {
  const { label, value } = props;
  return (
    <div className="progress">
      <progress aria-label={label} max={1} value={value} />
      <span>{label}</span>
    </div>
  );
}

/** Waiting for a part of the page, with a text for screen readers. */
export function Loading({ label }: { readonly label: string }): ReactElement {
  return (
    <div className="loading" role="status">
      <span className="hidden">{label}</span>
    </div>
  );
}

/** Lines in the place of what is being loaded, with a text for screen readers. */
export function Skeleton({ lines }: { readonly lines: number }): ReactElement {
  return (
    <div className="skeleton" role="status" aria-busy="true">
      <span className="hidden">{partTexts.loading}</span>
      {Array.from({ length: lines }, (_each, line) => (
        <span key={line} className="skeleton-line" />
      ))}
    </div>
  );
}

// Only with any a component of some properties is a component.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type ComponentOf<Part> = Extract<Part, ComponentType<any>>;

/** A component of a module that is loaded when it is first shown. Put it into <Suspense>. */
export function late<Module, Name extends keyof Module>(
  load: () => Promise<Module>,
  name: Name,
): LazyExoticComponent<ComponentOf<Module[Name]>> {
  return lazy(async () => ({ default: (await load())[name] as ComponentOf<Module[Name]> }));
}
