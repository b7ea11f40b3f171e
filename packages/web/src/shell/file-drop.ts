import { useEffect, useState } from 'react';
import { useLocation } from 'wouter';

/**
 * Imports files that are dropped anywhere in the window, instead of the browser opening them. Returns whether files are
 * held over the window at the moment. A drop zone that takes files itself prevents the default of its event.
 */
export function useFileDrop(): boolean {
  const [isOver, setIsOver] = useState(false);
  const [, navigate] = useLocation();
  useEffect(() => {
    const over = (event: DragEvent): void => {
      if (event.defaultPrevented || event.dataTransfer?.types.includes('Files') !== true) return;
      event.preventDefault();
      setIsOver(true);
    };
    const leave = ({ relatedTarget }: DragEvent): void => {
      // Null when the pointer leaves the window.
      if (relatedTarget === null) setIsOver(false);
    };
    const drop = (event: DragEvent): void => {
      setIsOver(false);
      const files = [...(event.dataTransfer?.files ?? [])];
      if (event.defaultPrevented || files.length === 0) return;
      event.preventDefault();
      void import('../api/uploads.ts').then(({ uploads }) => {
        uploads.add(files);
        navigate('/import');
      });
    };
    addEventListener('dragover', over);
    addEventListener('dragleave', leave);
    addEventListener('drop', drop);
    return () => {
      removeEventListener('dragover', over);
      removeEventListener('dragleave', leave);
      removeEventListener('drop', drop);
    };
  }, [navigate]);
  return isOver;
}
