import { useEffect, useState } from 'react';
import { useStore } from '../lib/store.ts';
import { destination, offerFiles } from '../recorder/state.ts';
import { recordStrings as texts } from '../strings/record.ts';
import { Icon } from '../ui/icon.tsx';

const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes('Files') ?? false;

/** Takes recordings that are dropped anywhere in the window, before an editor could. */
export function DropAnywhere() {
  const [isOver, setOver] = useState(false);
  const to = useStore(destination);
  useEffect(() => {
    const listeners = new AbortController();
    const options = { capture: true, signal: listeners.signal };
    function hover(event: DragEvent) {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(true);
    }
    function leave(event: DragEvent) {
      // `relatedTarget` is null only when the pointer leaves the window.
      if (event.relatedTarget === null) setOver(false);
    }
    function drop(event: DragEvent) {
      if (!hasFiles(event)) return;
      event.preventDefault();
      event.stopPropagation();
      setOver(false);
      if (event.dataTransfer?.files.length) offerFiles(event.dataTransfer.files);
    }
    window.addEventListener('dragover', hover, options);
    window.addEventListener('dragleave', leave, options);
    window.addEventListener('drop', drop, options);
    return () => listeners.abort();
  }, []);
  if (!isOver) return null;
  return (
    <div className="drop-anywhere" role="status">
      <Icon name="upload" size={40} />
      <strong>{to ? texts.dropTo(to.name) : texts.drop}</strong>
      <span>{texts.dropDetail}</span>
    </div>
  );
}
