export interface Mail {
  to: string;
  subject: string;
  text: string;
}

export interface Mailer {
  /** Resolves when the mail server has accepted the mail. Raises MailFailed if it has not. */
  send(mail: Mail): Promise<void>;
  close(): Promise<void>;
}

export interface Outbox {
  /** Sends a mail after the answer. */
  post(mail: Mail): void;
  /** Resolves once the mail server has taken it. Raises `MailFailed`. */
  send(mail: Mail): Promise<void>;
}

/** Mail servers quote addresses in their answers; the reason here has none, so it can be logged. */
export class MailFailed extends Error {
  readonly host: string;
  readonly reason: string;

  constructor(host: string, reason: string, options: { cause: unknown }) {
    super(`The mail server ${host} did not take the e-mail: ${reason}.`, options);
    this.host = host;
    this.reason = reason;
  }
}
