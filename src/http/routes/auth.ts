import type { FastifyPluginAsyncZod } from '@fastify/type-provider-zod';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { anyone } from '../../domain/access.ts';
import { AppError } from '../../domain/errors.ts';
import type { SignIn } from '../../ports/sign-in.ts';
import type { EmailCodes } from '../../services/email-codes.ts';
import { originOf } from '../origin.ts';

interface Dependencies {
  signIn: SignIn;
  codes: EmailCodes;
  publicUrl: string;
}

const open = { access: anyone };
/** better-auth describes its own wire format; its answers are not ours to promise. */
const hidden = { hide: true, response: { 200: z.string() } };

const brokenLinkPage = '/sign-in?problem=link';

/** People sign in and out. Only these doors of better-auth are open; the rest of it cannot be reached. */
export const authRoutes =
  ({ signIn, codes, publicUrl }: Dependencies): FastifyPluginAsyncZod =>
  async (app) => {
    const ask = (request: FastifyRequest) => {
      const secure = request.protocol === 'https' || publicUrl.startsWith('https:');
      return signIn.handle(toWebRequest(request), { secure, clientAddress: request.ip });
    };
    const passOn = async (request: FastifyRequest, reply: FastifyReply) => relay(await ask(request), reply);

    app.route({ method: 'GET', url: '/ok', config: open, schema: hidden, handler: passOn });
    app.route({ method: 'GET', url: '/get-session', config: open, schema: hidden, handler: passOn });
    app.route({
      method: 'GET',
      url: '/sign-in/link',
      config: open,
      schema: hidden,
      handler: async (request, reply) => {
        const answer = await ask(request);
        // A person who opens an old link in a browser gets the console's door, which says what to do.
        const inBrowser = request.headers.accept?.includes('text/html');
        return inBrowser && answer.status === 401 ? reply.redirect(brokenLinkPage) : relay(answer, reply);
      },
    });
    app.route({ method: 'POST', url: '/sign-in/email-otp', config: open, schema: hidden, handler: passOn });
    app.route({ method: 'POST', url: '/sign-out', config: open, schema: hidden, handler: passOn });
    app.route({
      method: 'POST',
      url: '/email-otp/send-verification-otp',
      config: open,
      schema: { ...hidden, body: z.object({ email: z.string(), type: z.literal('sign-in') }) },
      preHandler: async (request) => codes.count(request.body.email, request.ip),
      handler: passOn,
    });
  };

async function relay(answer: Response, reply: FastifyReply): Promise<FastifyReply> {
  if (answer.status >= 500) throw new AppError('internal_error', 'Signing in failed; try again in a moment.');
  const body = await answer.text();
  reply.code(answer.status);
  for (const [name, value] of answer.headers) if (name !== 'set-cookie') reply.header(name, value);
  reply.header('set-cookie', answer.headers.getSetCookie());
  // A redirect says it is JSON and has no body.
  if (body === '') reply.removeHeader('content-type');
  return reply.send(body);
}

/** What proxies say is judged by us and told in the address; the library must not believe it from just anyone. */
function toWebRequest(request: FastifyRequest): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers))
    if (value !== undefined && name !== 'content-length' && !name.startsWith('x-forwarded-'))
      headers.set(name, [value].flat().join(', '));
  const body = request.body === undefined ? null : JSON.stringify(request.body);
  return new Request(new URL(request.url, originOf(request)), { method: request.method, headers, body });
}
