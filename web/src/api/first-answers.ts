/** The server puts the answers to the first questions of the console into the page; see src/http/first-answers.ts. */
interface FirstAnswer {
  url: string;
  status: number;
  body: unknown;
}

/** After this, what the page brought may be out of date. */
const freshMs = 30_000;

const answers = new Map(read().map((answer) => [answer.url, answer]));

/** A page that was not filled holds the questions instead, which are texts. */
function read(): FirstAnswer[] {
  const text = document.getElementById('first-answers')?.textContent ?? '[]';
  return JSON.parse(text).filter((entry: unknown) => typeof entry === 'object');
}

export const firstAnswer = (url: string): FirstAnswer | undefined => answers.get(url);

/** Answers from the page, once; from the server ever after. */
export async function fetchFirst(request: Request): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  const answer = request.method === 'GET' ? answers.get(pathname + search) : undefined;
  // Whatever is changed could change what the page brought.
  if (answer) answers.delete(answer.url);
  else if (request.method !== 'GET') answers.clear();
  if (!answer || performance.now() > freshMs) return fetch(request);
  return Response.json(answer.body, { status: answer.status });
}
