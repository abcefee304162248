import { useEffect, useState } from 'react';
import { formatBytes } from '../lib/format.ts';
import { navigate } from '../lib/router.tsx';
import { forgetSharedFiles, sharedFiles } from '../lib/shared-files.ts';
import { useStore } from '../lib/store.ts';
import { SpeakersField } from '../recorder/speakers-field.tsx';
import { asked, offerFiles } from '../recorder/state.ts';
import { shellStrings } from '../strings/frame.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';

const texts = shellStrings.shared;

/** Asks first, because any web page can send a file to the share address. */
export function SharedFiles() {
  const options = useStore(asked);
  const [files, setFiles] = useState<File[]>([]);
  useEffect(() => {
    sharedFiles().then(setFiles, () => {});
  }, []);
  function close() {
    setFiles([]);
    void forgetSharedFiles();
    navigate('/transcribe', { replace: true });
  }
  function transcribe() {
    offerFiles(files);
    close();
  }
  return (
    <Dialog
      open={files.length > 0}
      onClose={close}
      title={texts.title(files.length)}
      description={texts.detail}
      footer={
        <>
          <Button onClick={close}>{texts.discard}</Button>
          <Button look="primary" onClick={transcribe}>
            {texts.transcribe}
          </Button>
        </>
      }
    >
      <ul>
        {files.map((file) => (
          <li key={file.name} dir="auto">
            {file.name} <span className="muted">{formatBytes(file.size)}</span>
          </li>
        ))}
      </ul>
      <SpeakersField
        value={options.speakers ?? ''}
        onChoose={(speakers) => asked.set({ ...options, speakers })}
      />
    </Dialog>
  );
}
