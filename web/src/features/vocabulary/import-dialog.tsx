import { useDeferredValue, useMemo, useRef, useState } from 'react';
import { inBatches, type Progress } from '../../api/in-batches.ts';
import type { Candidates } from '../../lib/candidates.ts';
import { formatNumber } from '../../lib/format.ts';
import { commonStrings } from '../../strings/common.ts';
import { importStrings as texts } from '../../strings/vocabulary.ts';
import { TextArea } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Status } from '../../ui/status.tsx';
import { toast } from '../../ui/toast.tsx';
import styles from './vocabulary.module.css';

const maxFileBytes = 5 * 1024 * 1024;

interface Props<Item> {
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
  const { onClose, title, description, readItems, batchSize, begin, onImported } = props;
  const [text, setText] = useState('');
  const [fileProblem, setFileProblem] = useState<string>();
  const [progress, setProgress] = useState<Progress>();
  const stop = useRef(new AbortController());
  const shown = useDeferredValue(text);
  const found = useMemo(() => readItems(shown), [readItems, shown]);

  async function send() {
    const { items } = found;
    setProgress({ done: 0, waiting: undefined });
    let added = 0;
    try {
      const add = await begin();
      await inBatches({
        items,
        batchSize,
        signal: stop.current.signal,
        onProgress: setProgress,
        async send(batch) {
          added += await add(batch);
        },
      });
      return { added, existed: items.length - added, stopped: stop.current.signal.aborted };
    } finally {
      setProgress(undefined);
      onImported();
    }
  }
  function tell({ added, existed, stopped }: Awaited<ReturnType<typeof send>>) {
    const detail = !stopped && existed > 0 ? { detail: texts.existed(formatNumber(existed)) } : {};
    toast({ title: (stopped ? texts.stopped : texts.done)(formatNumber(added)), ...detail });
  }

  async function takeFile(file: File | undefined) {
    if (!file) return;
    const content = file.size > maxFileBytes ? undefined : await file.text();
    const isText = content !== undefined && !/\0|\uFFFD/.test(content);
    setFileProblem(isText ? undefined : content === undefined ? texts.tooLong : texts.notText);
    if (isText) setText(content);
  }
  function close() {
    stop.current.abort();
    onClose();
  }

  return (
    <FormDialog
      title={title}
      description={description}
      action={texts.start}
      disabled={found.items.length === 0}
      save={send}
      onSaved={tell}
      onClose={close}
    >
      <label className={styles.file}>
        <span className="field-label">{texts.file}</span>
        <input
          type="file"
          accept=".txt,.csv,.tsv,text/plain,text/csv"
          disabled={progress !== undefined}
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
        disabled={progress !== undefined}
        onChange={(event) => setText(event.target.value)}
      />
      {progress ? <Running progress={progress} total={found.items.length} /> : <Summary found={found} />}
    </FormDialog>
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
  return <Status>{parts.filter(Boolean).join(' ')}</Status>;
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
