import type { Transporter } from 'nodemailer';
import { type Mailer, MailFailed } from './mailer.ts';

const connectTimeoutMs = 10_000;

export function createSmtpMailer(
  { smtpUrl, mailFrom }: { smtpUrl: string; mailFrom: string },
  /** What the server may take for one answer; if left out, ten minutes. */
  patience: { greetingTimeout?: number; socketTimeout?: number } = {},
): Mailer {
  let transport: Promise<Transporter> | undefined;

  async function connect(): Promise<Transporter> {
    // Loaded with the first e-mail: most server processes never send one.
    const { createTransport } = await import('nodemailer');
    return createTransport(
      // Keeps nodemailer from reading a file or URL that a text names.
      {
        ...patience,
        url: smtpUrl,
        connectionTimeout: connectTimeoutMs,
        disableFileAccess: true,
        disableUrlAccess: true,
      },
      { from: mailFrom },
    );
  }

  return {
    async send({ to, subject, text }) {
      transport ??= connect();
      // As an object, the address is used as it is. In a string, a comma would make it several addresses.
      const message = { to: { name: '', address: to }, subject, text };
      try {
        await (await transport).sendMail(message);
      } catch (cause) {
        throw new MailFailed(new URL(smtpUrl).host, reasonOf(cause), { cause });
      }
    },
    async close() {
      (await transport)?.close();
    },
  };
}

/** By the codes of nodemailer, where the server has answered. */
const refusals: Readonly<Record<string, string>> = {
  EAUTH: 'it refuses the user name or the password',
  ENOAUTH: 'it wants a user name and a password',
  EENVELOPE: 'it refuses the sender or the recipient',
  EMESSAGE: 'it refuses the message',
};

function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return 'unknown';
  const { code, responseCode, response } = cause as Error & Record<string, unknown>;
  const refusal = refusals[String(code)];
  // Of the network or of TLS: it names the server at most.
  if (typeof responseCode !== 'number') return refusal ?? cause.message;
  // "550 5.1.1 <ada@example.org>: …": the second number tells more, the text may quote the address.
  const detail = /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(String(response))?.[1];
  return `${refusal ?? 'it refuses the e-mail'} (${[responseCode, detail].filter(Boolean).join(' ')})`;
}
