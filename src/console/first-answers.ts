import type { FastifyRequest } from 'fastify';
import { sessionTokenOf } from '../domain/session.ts';

/** The page names what it asks first, as a JSON array: who is signed in, then what the list of notes needs. */
const place = /(<script type="application\/json" id="first-answers">)(.*?)(<\/script>)/s;
const notesPath = /^\/(notes(\/|\?|$)|\?|$)/;

/** Beyond this, a slow line would see nothing for longer than the page needs to ask itself. */
const maxLength = 64 * 1024;

/**
 * Puts the answers to the first questions of the console into its page, so that a slow line shows the notes one round trip
 * after the page, and not after all its scripts. They are asked like any request, with the cookie and the address of the caller.
 */
export async function withFirstAnswers(page: string, request: FastifyRequest): Promise<string> {
  const { cookie } = request.headers;
  const [, , questions] = place.exec(page) ?? [];
  if (questions === undefined || cookie === undefined || sessionTokenOf(cookie) === undefined) return page;
  const [who, ...notes]: string[] = JSON.parse(questions);
  const me = await ask(request, who ?? '');
  const others = notesPath.test(request.url) && me.status === 200 ? notes : [];
  const answers = [me, ...(await Promise.all(others.map((url) => ask(request, url))))];
  return page.replace(place, (_all, start, _questions, end) => `${start}${toJson(answers)}${end}`);
}

interface Answer {
  url: string;
  status: number;
  body: unknown;
}

async function ask({ server, ip, id, headers }: FastifyRequest, url: string): Promise<Answer> {
  const { statusCode, body } = await server.inject({
    url,
    remoteAddress: ip,
    headers: { cookie: headers.cookie ?? '', 'x-request-id': id },
  });
  return { url, status: statusCode, body: body.length > maxLength ? undefined : JSON.parse(body) };
}

/** An answer that is too long, or that may be another one in a moment, is left for the page to ask. */
const toJson = (answers: Answer[]) =>
  JSON.stringify(
    answers.filter(({ status, body }) => (status === 200 || status === 401) && body !== undefined),
  ).replaceAll('<', '\\u003c');
