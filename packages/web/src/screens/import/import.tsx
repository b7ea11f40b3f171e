import type { ReactElement } from 'react';
import { useParams } from 'wouter';
import { GoneImport } from './gone-import.tsx';
import { ImportHome } from './import-home.tsx';
import { OneImport } from './one-import.tsx';

/** Bank files: dropped, looked at, imported, and undone. */
export function Import(): ReactElement {
  const { id } = useParams<{ readonly id?: string }>();
  if (id === undefined) return <ImportHome />;
  return /^[1-9]\d{0,14}$/.test(id) ? <OneImport key={id} id={Number(id)} /> : <GoneImport />;
}
