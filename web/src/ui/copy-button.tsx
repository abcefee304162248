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

/** Returns false and shows a message when the browser refuses, as it does on pages without TLS. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    toast({ title: commonStrings.copyFailed, tone: 'danger' });
    return false;
  }
}
