import { useMutation } from '@tanstack/react-query';
import { useDeferredValue, useMemo, useRef, useState } from 'react';
import { inBatches, type Progress } from '../../api/in-batches.ts';
import type { Candidates } from '../../lib/candidates.ts';
import { formatNumber } from '../../lib/format.ts';
import { commonStrings } from '../../strings/common.ts';
import { importStrings } from '../../strings/vocabulary.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextArea } from '../../ui/field.tsx';
import { ErrorNotice } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.tsx';
import styles from './vocabulary.module.css';

const texts = importStrings;
const maxFileBytes = 5 * 1024 * 1024;

interface Props<Item> {
  open: boolean;
  onClose(): void;
  title: string;
  description: string;
  readItems(text: string): Candidates<Item>;
  batchSize: number;
  /** Returns a function that sends one batch and resolves to how many of it were new. */
  begin(): Promise<(batch: Item[]) => Promise<number>>;
  onImported(): void;
}

/** Paste a list or choose a file, check what would be imported, then import it. */
export function ImportDialog<Item>(props: Props<Item>) {
  const { open, onClose, title, description, readItems, batchSize, begin, onImported } = props;
  const [text, setText] = useState('');
  const [fileProblem, setFileProblem] = useState<string>();
  const [progress, setProgress] = useState<Progress>();
  const running = useRef<AbortController>(undefined);
  const shown = useDeferredValue(text);
  const found = useMemo(() => readItems(shown), [readItems, shown]);

  const run = useMutation({
    async mutationFn(items: Item[]) {
      const controller = new AbortController();
      running.current = controller;
      const { signal } = controller;
      setProgress({ done: 0, waiting: undefined });
      const add = await begin();
      let added = 0;
      const send = async (batch: Item[]) => {
        added += await add(batch);
      };
      await inBatches({ items, batchSize, send, onProgress: setProgress, signal });
      return { added, existed: items.length - added, stopped: signal.aborted };
    },
    onSuccess({ added, existed, stopped }) {
      const detail = !stopped && existed > 0 ? { detail: texts.existed(formatNumber(existed)) } : {};
      const told = stopped ? texts.stopped(formatNumber(added)) : texts.done(formatNumber(added));
      toast({ title: told, ...detail });
      setText('');
      onClose();
    },
    onSettled() {
      setProgress(undefined);
      onImported();
    },
  });

  async function takeFile(file: File | undefined) {
    if (!file) return;
    const content = file.size > maxFileBytes ? undefined : await file.text();
    const isText = content !== undefined && !/\0|\uFFFD/.test(content);
    setFileProblem(isText ? undefined : content === undefined ? texts.tooLong : texts.notText);
    if (isText) setText(content);
  }
  function close() {
    running.current?.abort();
    onClose();
  }

  return (
    <Dialog
      open={open}
      onClose={close}
      title={title}
      description={description}
      onSubmit={() => run.mutate(found.items)}
      footer={
        <>
          <Button onClick={close}>{commonStrings.cancel}</Button>
          <Button look="primary" type="submit" busy={run.isPending} disabled={found.items.length === 0}>
            {texts.start}
          </Button>
        </>
      }
    >
      <ErrorNotice error={run.error} />
      <label className={styles.file}>
        <span className="field-label">{texts.file}</span>
        <input
          type="file"
          accept=".txt,.csv,.tsv,text/plain,text/csv"
          disabled={run.isPending}
          onChange={(event) => takeFile(event.target.files?.[0])}
        />
      </label>
      {fileProblem && (
        <p className="field-error" role="alert">
          {fileProblem}
        </p>
      )}
      <TextArea
        label={texts.paste}
        rows={7}
        value={text}
        disabled={run.isPending}
        onChange={(event) => setText(event.target.value)}
      />
      {progress ? <Running progress={progress} total={found.items.length} /> : <Summary found={found} />}
    </Dialog>
  );
}

function Summary<Item>({ found }: { found: Candidates<Item> }) {
  const [firstUnusable] = found.unusable;
  const parts = [
    found.items.length === 0 ? texts.nothing : texts.ready(formatNumber(found.items.length)),
    found.repeated > 0 && texts.repeated(formatNumber(found.repeated)),
    firstUnusable !== undefined &&
      texts.unusable(formatNumber(found.unusable.length), firstUnusable.slice(0, 40)),
  ];
  return (
    <p className="muted" role="status">
      {parts.filter(Boolean).join(' ')}
    </p>
  );
}

const Running = ({ progress, total }: { progress: Progress; total: number }) => (
  <div role="status">
    <progress className="meter-bar" aria-label={texts.start} max={total} value={progress.done} />
    <p className="muted numbers">
      {progress.waiting === undefined
        ? commonStrings.progress(formatNumber(progress.done), formatNumber(total))
        : commonStrings.waiting(progress.waiting)}
    </p>
  </div>
);
