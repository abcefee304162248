import type { Transporter } from 'nodemailer';
import type { Mailer } from '../ports/mailer.ts';

const connectTimeoutMs = 10_000;

export function createSmtpMailer({ smtpUrl, mailFrom }: { smtpUrl: string; mailFrom: string }): Mailer {
  let transport: Promise<Transporter> | undefined;

  async function connect(): Promise<Transporter> {
    // Loaded with the first mail: most starts of the server send none.
    const { createTransport } = await import('nodemailer');
    return createTransport(
      // A text that names a file or an address must stay a text.
      { url: smtpUrl, connectionTimeout: connectTimeoutMs, disableFileAccess: true, disableUrlAccess: true },
      { from: mailFrom },
    );
  }

  return {
    async send({ to, subject, text }) {
      transport ??= connect();
      // As an object the address is taken as it is; as a string, commas in it would make several.
      await (await transport).sendMail({ to: { name: '', address: to }, subject, text });
    },
    async close() {
      (await transport)?.close();
    },
  };
}
