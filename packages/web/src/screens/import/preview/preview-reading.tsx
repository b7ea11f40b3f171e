import type { ReactElement } from 'react';
import type { ImportOptions, ImportPreview } from '../../../api/types.ts';
import { importTexts as t } from '../../../texts/en/import.ts';
import { FileButton } from './file-button.tsx';
import { ReadingForm } from './reading-form.tsx';

/** How a file was read. */
export interface PreviewReadingProps {
  readonly preview: ImportPreview;
  readonly file: File | null;
  readonly options: ImportOptions;
  readonly isWorking: boolean;
  readonly onRead: (options: ImportOptions, file?: File) => void;
}

/** How a file was read, folded away until somebody wants to change it. */
export function PreviewReading(props: PreviewReadingProps): ReactElement {
  const { preview, file, options, isWorking, onRead } = props;
  const { mapping, remembered } = preview;
  const hasMemory = Object.keys(remembered).length > 0;
  return (
    <details className="card reading">
      <summary>
        <h2>{t.howRead}</h2>
        <span className="hint">
          {isWorking ? t.readingAgain : hasMemory ? t.remembered : readAs(preview)}
        </span>
      </summary>
      {file === null ? (
        <div className="stack">
          <p>{t.fileNeeded}</p>
          <div className="actions">
            <FileButton label={t.chooseAgain} onFile={(chosen) => onRead(options, chosen)} />
          </div>
        </div>
      ) : (
        <ReadingForm
          file={file}
          options={options}
          mapping={mapping}
          remembered={remembered}
          problems={[]}
          warnings={preview.warnings}
          isWorking={isWorking}
          onRead={onRead}
        />
      )}
    </details>
  );
}

function readAs({ mapping, format }: ImportPreview): string {
  if (mapping === null) return (format ?? '').toUpperCase();
  const { date_format: dates, encoding } = mapping;
  return t.readAs(dates, encoding);
}
