import { useMutation } from '@tanstack/react-query';
import { useRef } from 'react';
import { canImport, exportAddress, importFiles } from '../../resources/own-data.ts';
import { accountStrings } from '../../strings/account.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { List, Row } from '../../ui/page.tsx';
import { ErrorNotice, Notice } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.tsx';
import { importedSentences } from './imported.ts';

const texts = accountStrings.data;

/** Export and import of everything that the person has. */
export function OwnData() {
  const bring = useMutation({ mutationFn: (files: File[]) => importFiles(files) });
  const isBusy = bring.isPending;
  const choose = (files: File[]) =>
    canImport(files) ? bring.mutate(files) : toast({ title: texts.oneZip, tone: 'danger' });
  return (
    <>
      <List label={texts.title}>
        <Row
          detail={texts.exportDetail}
          actions={
            <a className="button" href={exportAddress} download>
              <Icon name="download" />
              {texts.export}
            </a>
          }
        >
          {texts.everything}
        </Row>
        <ImportRow {...texts.fromExport} accept=".zip,application/zip" isBusy={isBusy} onChosen={choose} />
        <ImportRow
          {...texts.fromMarkdown}
          accept=".md,.zip,application/zip"
          isBusy={isBusy}
          onChosen={choose}
        />
      </List>
      <ErrorNotice error={bring.error} />
      {bring.data && (
        <Notice tone="success" title={texts.imported}>
          <p>{importedSentences(bring.data).join(' ')}</p>
        </Notice>
      )}
    </>
  );
}

interface ImportRowProps {
  title: string;
  detail: string;
  action: string;
  /** What a screen reader calls the chooser of files. */
  file: string;
  accept: string;
  isBusy: boolean;
  onChosen(files: File[]): void;
}

function ImportRow({ title, detail, action, file, accept, isBusy, onChosen }: ImportRowProps) {
  const chooser = useRef<HTMLInputElement>(null);
  return (
    <Row
      detail={detail}
      actions={
        <Button icon="upload" busy={isBusy} onClick={() => chooser.current?.click()}>
          {action}
        </Button>
      }
    >
      {title}
      <input
        ref={chooser}
        type="file"
        accept={accept}
        multiple
        hidden
        aria-label={file}
        onChange={({ target }) => {
          const files = [...(target.files ?? [])];
          if (files.length > 0) onChosen(files);
          target.value = '';
        }}
      />
    </Row>
  );
}
