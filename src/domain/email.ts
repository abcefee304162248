import { AppError } from './errors.ts';

/** RFC 5321, 4.5.3.1: what fits between the brackets of RCPT TO. */
export const maxEmailLength = 254;
const maxLocalLength = 64;

// Plain ASCII addresses only: no quoted local parts, no comments, no line breaks to smuggle a header in.
const emailForm =
  /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*@([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])$/;

/** The one spelling an address is stored and compared in. Raises `validation_error`. */
export function parseEmail(text: string): string {
  const email = text.toLowerCase();
  if (email.length > maxEmailLength || email.indexOf('@') > maxLocalLength || !emailForm.test(email))
    throw new AppError('validation_error', 'email must be an e-mail address like ada@example.org.');
  return email;
}

/** Who may make an account without the operator. */
export type SignUpRule =
  | { readonly kind: 'closed' }
  | { readonly kind: 'open' }
  | { readonly kind: 'domains'; readonly domains: readonly string[] };

export function allowsSignUp(rule: SignUpRule, email: string): boolean {
  switch (rule.kind) {
    case 'closed':
      return false;
    case 'open':
      return true;
    case 'domains':
      return rule.domains.includes(email.slice(email.lastIndexOf('@') + 1));
  }
}
