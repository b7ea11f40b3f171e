import type { ReactElement } from 'react';
import { Icon } from '../parts/icon.tsx';
import { importTexts as t } from '../texts/en/import.ts';

/** Covers the page while files are held over it. */
export function DropLayer(): ReactElement {
  return (
    <div className="drop-layer" role="status">
      <p>
        <Icon name="import" />
        {t.dropAnywhere}
      </p>
    </div>
  );
}
