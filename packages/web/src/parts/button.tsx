import type { ComponentPropsWithRef, ReactElement } from 'react';
import { Link } from 'wouter';
import { Icon, type IconName } from './icon.tsx';

/** A button of the platform, with a look and an optional icon. */
export interface ButtonProps extends ComponentPropsWithRef<'button'> {
  /** `quiet` has no border; `main` is the one action of a screen; `danger` removes something. */
  readonly look?: 'usual' | 'quiet' | 'main' | 'danger';
  readonly icon?: IconName;
}

/** A button. Give one that shows only an icon an `aria-label`, which is its tooltip too. */
export function Button(props: ButtonProps): ReactElement {
  const { look = 'usual', icon, className = '', children, ...rest } = props;
  const isBare = children === undefined;
  return (
    <button
      type="button"
      title={isBare ? props['aria-label'] : undefined}
      {...rest}
      className={`button ${look} ${isBare ? 'bare' : ''} ${className}`}
    >
      {icon !== undefined && <Icon name={icon} />}
      {children}
    </button>
  );
}

type LinkButtonProps = Readonly<{ href: string; look?: 'main'; label: string }>;

/** A link that looks like a button. */
export function LinkButton({ href, look, label }: LinkButtonProps): ReactElement {
  return (
    <Link href={href} className={look === 'main' ? 'button main' : 'button'}>
      {label}
    </Link>
  );
}
