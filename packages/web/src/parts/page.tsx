import { useEffect, useRef, type ReactElement, type ReactNode } from 'react';
import { Link } from 'wouter';
import { usePreferences } from './preferences.ts';

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

const actsItself = 'a, button, input, textarea, select, summary, [role="combobox"], dialog *';

/**
 * Runs an action by a key anywhere in a screen, except where the key has another use: in fields, on buttons and links,
 * and in dialogs. A letter does nothing when a person has turned letters off. Nothing runs while `run` is null.
 */
export function usePageKey(key: string, run: (() => void) | null): void {
  const { hasLetterKeys } = usePreferences();
  const latest = useRef(run);
  useEffect(() => {
    latest.current = run;
  });
  const isOn = run !== null && (key.length > 1 || hasLetterKeys);
  useEffect(() => {
    if (!isOn) return undefined;
    const press = (event: KeyboardEvent): void => {
      const { target, ctrlKey, metaKey, altKey } = event;
      if (event.key !== key || ctrlKey || metaKey || altKey || event.defaultPrevented) return;
      // A letter has no use on a button.
      const taken = key.length > 1 ? actsItself : 'input, textarea, select, dialog *';
      if (target instanceof Element && target.matches(taken)) return;
      if (document.querySelector('dialog[open]') !== null) return;
      event.preventDefault();
      latest.current?.();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [key, isOn]);
}
