import { useState } from 'react';
import { commonStrings } from '../strings/common.ts';
import { Button } from './button.tsx';
import { toast } from './toast.tsx';

/** Copies `text` and confirms it on the button, also to screen readers. */
export function CopyButton({ text, label = commonStrings.copy }: { text: string; label?: string }) {
  const [copied, setCopied] = useState(false);
  async function copy() {
    if (!(await copyText(text))) return;
    setCopied(true);
    setTimeout(() => setCopied(false), 2_000);
  }
  return (
    <Button icon={copied ? 'check' : 'copy'} onClick={copy}>
      <span aria-live="polite">{copied ? commonStrings.copied : label}</span>
    </Button>
  );
}

/** Returns false and shows a message when the browser refuses. */
export async function copyText(text: string): Promise<boolean> {
  try {
    // Browsers have the clipboard only on https and localhost.
    if (navigator.clipboard) await navigator.clipboard.writeText(text);
    else copyFromField(text);
    return true;
  } catch {
    toast({ title: commonStrings.copyFailed, tone: 'danger' });
    return false;
  }
}

/** The old way, which needs a selection on the page. An open dialog makes everything beside it inert. */
function copyFromField(text: string): void {
  const focused = document.activeElement;
  const field = document.createElement('textarea');
  field.className = 'visually-hidden';
  field.value = text;
  (document.querySelector('dialog[open]') ?? document.body).append(field);
  field.select();
  const isDone = document.execCommand('copy');
  field.remove();
  if (focused instanceof HTMLElement) focused.focus();
  if (!isDone) throw new Error('The browser copied nothing.');
}
