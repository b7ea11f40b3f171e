import { useRef, useEffect } from 'react';
import { usePreferences } from './preferences.ts';

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

const typedInto =
  'input:not([type="checkbox"], [type="radio"]), textarea, select, [role="combobox"]';

/** Whether keys go to a field, where they are text. */
export function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches(typedInto));
}
