import { useRef, type ReactElement } from 'react';
import { useLocation } from 'wouter';
import { uploads } from '../../api/uploads.ts';
import type { ImportOptions } from '../../books/types.ts';
import { Button } from '../../parts/button.tsx';
import { importTexts as t } from '../../texts/en/import.ts';

/** Chooses files by the dialog of the system. */
export function FileButton(props: {
  readonly look?: 'usual' | 'main';
  readonly label?: string;
  /** How all of the files are read. */
  readonly options?: ImportOptions;
  /** Called with one file; by default all files are sent, and the list of imports is shown. */
  readonly onFile?: (file: File) => void;
}): ReactElement {
  const { look = 'usual', label = t.choose, options, onFile } = props;
  const input = useRef<HTMLInputElement>(null);
  const [, navigate] = useLocation();
  const choose = (files: readonly File[]): void => {
    const [first] = files;
    if (first === undefined) return;
    if (onFile !== undefined) onFile(first);
    else {
      uploads.add(files, options);
      navigate('/import');
    }
  };
  return (
    <>
      <Button look={look} icon="import" onClick={() => input.current?.click()}>
        {label}
      </Button>
      <input
        ref={input}
        type="file"
        hidden
        aria-label={label}
        multiple={onFile === undefined}
        onChange={({ currentTarget }) => {
          choose([...(currentTarget.files ?? [])]);
          currentTarget.value = '';
        }}
      />
    </>
  );
}
