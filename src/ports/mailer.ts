export interface Mail {
  to: string;
  subject: string;
  text: string;
}

export interface Mailer {
  /** Resolves when the mail server has accepted the mail, and rejects if it has not. */
  send(mail: Mail): Promise<void>;
  close(): Promise<void>;
}
