/** The server puts the answers to the first questions of the console into the page; see src/http/first-answers.ts. */
interface FirstAnswer {
  url: string;
  status: number;
  body: unknown;
}

/** After this, the answers in the page may be out of date. */
const freshMs = 30_000;

const answers = new Map(read().map((answer) => [answer.url, answer]));

/** A page that the server did not fill holds the questions instead, as strings. */
function read(): FirstAnswer[] {
  const text = document.getElementById('first-answers')?.textContent ?? '[]';
  return JSON.parse(text).filter((entry: unknown) => typeof entry === 'object');
}

export const firstAnswer = (url: string): FirstAnswer | undefined => answers.get(url);

/** The answer from the page, the first time; undefined if the server must be asked. */
export function takeFirstAnswer(request: Request): Response | undefined {
  const { pathname, search } = new URL(request.url);
  const answer = request.method === 'GET' ? answers.get(pathname + search) : undefined;
  // Any change may make the answers in the page out of date.
  if (answer) answers.delete(answer.url);
  else if (request.method !== 'GET') answers.clear();
  if (!answer || performance.now() > freshMs) return undefined;
  return Response.json(answer.body, { status: answer.status });
}
