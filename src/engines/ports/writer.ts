import type { TokenCount } from '../../domain/language.ts';

/** `short`: a person waits (30 s). `long`: a job writes about a long text (10 minutes). */
export type WritingPurpose = 'short' | 'long';

export interface WriterMessage {
  role: 'user' | 'assistant';
  content: string;
}

export interface WriteRequest {
  /** Whose tokens are counted, and whose plan, policy and wish decide. */
  userId: string;
  purpose: WritingPurpose;
  /** What the model is told. Texts of people belong into `messages`, between marks (`asData`). */
  system: string;
  messages: readonly WriterMessage[];
  /** Of the answer. */
  maxTokens?: number | undefined;
  temperature?: number | undefined;
  signal?: AbortSignal | undefined;
}

export type WrittenPart =
  | { kind: 'text'; text: string }
  /** Always the last part. `length`: `maxTokens` or the window ended the answer, so it is not whole. */
  | { kind: 'end'; reason: 'complete' | 'length'; tokens: TokenCount };

export interface WriterStatus {
  /** The origin of the address, so that people can see where their texts go. Null: there is no model. */
  address: string | null;
  model: string;
  /** Tokens of the request and the answer together. */
  window: number;
}

/** A language model. Another server today; the port has nothing that one in this process could not do. */
export interface LanguageWriter {
  readonly isOn: boolean;
  /** Raises WriterFailed if the server does not answer. */
  status(): Promise<WriterStatus>;
  /**
   * The text as it comes, and how it ended. An answer that is empty, breaks off or is refused raises WriterFailed after the
   * parts that came. Also raises `forbidden` and `quota_exceeded` before anything is sent, and the signal's reason.
   */
  write(request: WriteRequest): AsyncIterable<WrittenPart>;
}
