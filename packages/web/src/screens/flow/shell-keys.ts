import { useEffect } from 'react';

/** A dialog of the shell. */
export type Sheet = 'palette' | 'keys' | 'more';

/** What a dialog of the shell gets. */
export interface SheetProps {
  readonly onOpen: (sheet: Sheet) => void;
  readonly onClose: () => void;
}

/** Whether keys go to a field, where they are text. */
export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches('input, textarea, select, [role="combobox"]'))
  );
}

/** Opens the palette by Ctrl-K (⌘K), and the sheet of keys by `?`. */
export function useShellKeys(open: (sheet: Sheet) => void): void {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const isPalette = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k';
      const isKeys = event.key === '?' && !isTyping(event.target);
      if (!isPalette && !isKeys) return;
      event.preventDefault();
      open(isPalette ? 'palette' : 'keys');
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [open]);
}
