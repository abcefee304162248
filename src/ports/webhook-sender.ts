/** Sends events to the addresses that users give. It connects to no private address unless the operator allows it. */
export interface WebhookSender {
  /** Null if events may be sent there. Otherwise the end of a sentence that begins with "url". */
  findFault(url: string): Promise<string | null>;
  /** Follows no redirect, and keeps nothing of the answer but its head, without what looks like a secret. */
  send(
    url: string,
    request: { headers: Record<string, string>; body: string },
  ): Promise<{ status: number; head: string } | { error: string }>;
  close(): void;
}
