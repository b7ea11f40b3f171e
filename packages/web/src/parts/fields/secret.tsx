import { useRef, useState } from 'react';
import type { ReactElement } from 'react';
import { Button } from '../button.tsx';
import { TextField } from './text-field.tsx';

/** A secret that is shown once. */
export interface SecretProps {
  readonly label: string;
  readonly value: string;
  readonly texts: { readonly copy: string; readonly copied: string; readonly selected: string };
}

/** A text that can be copied. Without a secure context the browser copies nothing, so the text is selected. */
export function Secret({ label, value, texts }: SecretProps): ReactElement {
  const field = useRef<HTMLInputElement>(null);
  const [state, setState] = useState<'shown' | 'copied' | 'selected'>('shown');
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(value);
      setState('copied');
    } catch {
      field.current?.select();
      setState('selected');
    }
  };
  return (
    <div className="secret">
      <TextField
        ref={field}
        label={label}
        value={value}
        readOnly
        autoFocus
        spellCheck={false}
        onFocus={({ currentTarget }) => currentTarget.select()}
      />
      <Button look="main" icon={state === 'copied' ? 'check' : 'clip'} onClick={() => void copy()}>
        {texts.copy}
      </Button>
      <p className="hint" role="status">
        {state !== 'shown' && texts[state]}
      </p>
    </div>
  );
}
