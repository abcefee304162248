import type { Transporter } from 'nodemailer';
import type { Mailer } from '../ports/mailer.ts';

const connectTimeoutMs = 10_000;

export function createSmtpMailer({ smtpUrl, mailFrom }: { smtpUrl: string; mailFrom: string }): Mailer {
  let transport: Promise<Transporter> | undefined;

  async function connect(): Promise<Transporter> {
    // Loaded with the first e-mail: most server processes never send one.
    const { createTransport } = await import('nodemailer');
    return createTransport(
      // Keeps nodemailer from reading a file or URL that a text names.
      { url: smtpUrl, connectionTimeout: connectTimeoutMs, disableFileAccess: true, disableUrlAccess: true },
      { from: mailFrom },
    );
  }

  return {
    async send({ to, subject, text }) {
      transport ??= connect();
      // As an object, the address is used as it is. In a string, a comma would make it several addresses.
      await (await transport).sendMail({ to: { name: '', address: to }, subject, text });
    },
    async close() {
      (await transport)?.close();
    },
  };
}
