import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { exportAddress, importExport } from '../../resources/own-data.ts';
import { accountStrings } from '../../strings/account.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { List, Row } from '../../ui/page.tsx';
import { ErrorNotice, Notice } from '../../ui/states.tsx';
import { importedSentences } from './imported.ts';

const texts = accountStrings.data;

/** Export and import of everything that the person has. */
export function OwnData() {
  const client = useQueryClient();
  const chooser = useRef<HTMLInputElement>(null);
  const bring = useMutation({ mutationFn: (file: File) => importExport(client, file) });
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
        <Row
          detail={texts.importDetail}
          actions={
            <Button icon="upload" busy={bring.isPending} onClick={() => chooser.current?.click()}>
              {texts.import}
            </Button>
          }
        >
          {texts.fromExport}
        </Row>
      </List>
      <input
        ref={chooser}
        type="file"
        accept=".zip,application/zip"
        hidden
        aria-label={texts.file}
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          if (file) bring.mutate(file);
          target.value = '';
        }}
      />
      <ErrorNotice error={bring.error} />
      {bring.data && (
        <Notice tone="success" title={texts.imported}>
          <p>{importedSentences(bring.data).join(' ')}</p>
        </Notice>
      )}
    </>
  );
}
