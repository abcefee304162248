import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { z } from 'zod';
import {
  eventOf,
  isWebhookSecret,
  newDelivery,
  newWebhookSecret,
  signedRequest,
  type WebhookEvent,
  webhookEvents,
} from '../domain/webhook.ts';
import type { CliContext } from './context.ts';
import { Failure, UsageError } from './errors.ts';
import { example } from './help.ts';

interface Options {
  forward: string;
  url?: string;
  key?: string;
  events: readonly WebhookEvent[];
  secret?: string;
}

const answerWithinMs = 10_000;
const mostWaitMs = 30_000;
/** What the ids of events are made from, in place of the id of a webhook. */
const listener = 'steno webhooks listen';

const told = z.object({
  type: z.string(),
  action: z.string(),
  id: z.string(),
  at: z.string(),
  space_id: z.string().nullable(),
});

export function listenCommand(commands: Command, { env, config, print }: CliContext): void {
  commands
    .command('listen')
    .description('forward what happens on a server to an address of this machine, as a webhook would')
    .requiredOption('--forward <url>', 'where to send it, such as http://localhost:3000/hook')
    .option('--url <url>', 'address of the server (default: the one on this machine)')
    .option('--key <key>', 'your key on it, with notes:read (or set STENO_KEY)')
    .addOption(
      new Option('--events <names>', 'with commas between (default: all)')
        .argParser(eventsOf)
        .default(webhookEvents, 'all'),
    )
    .option('--secret <secret>', 'signs what is sent, whsec_… (default: a new one, which is shown)')
    .addHelpText('after', example('webhooks listen --forward http://localhost:3000/hook --key owk_live_…'))
    .action((options: Options) => {
      const key = options.key ?? env.STENO_KEY ?? '';
      if (key === '') throw new UsageError('Name your key with --key, or set STENO_KEY.');
      const url = options.url ?? `http://localhost:${config().port}`;
      for (const [name, address] of Object.entries({ '--url': url, '--forward': options.forward }))
        if (!/^https?:/.test(address) || !URL.canParse(address))
          throw new UsageError(`${name} must be an address like http://localhost:8787.`);
      if (options.secret !== undefined && !isWebhookSecret(options.secret))
        throw new UsageError('--secret must begin with whsec_, as the secret of a webhook does.');
      const secret = options.secret ?? newWebhookSecret();
      print(`Forwarding to ${options.forward}. Signed with ${secret}`);
      return listen({ ...options, url: new URL(url).origin, key, secret }, print);
    });
}

function eventsOf(text: string): readonly WebhookEvent[] {
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !webhookEvents.some((event) => event === name));
  if (unknown !== undefined)
    throw new InvalidArgumentError(`${unknown} is no event; these are: ${webhookEvents.join(', ')}.`);
  return webhookEvents.filter((event) => names.includes(event));
}

type Settings = Options & { url: string; key: string; secret: string };

async function listen(options: Settings, print: CliContext['print']): Promise<void> {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stop.abort());
  let last = '';
  let waitMs = 0;
  while (!stop.signal.aborted) {
    try {
      for await (const message of follow(options, last, stop.signal)) {
        waitMs = 0;
        if (message.event === 'change') await forward(message, options, stop.signal, print);
        last = message.id ?? last;
      }
    } catch (cause) {
      if (cause instanceof Failure) throw cause;
      if (!stop.signal.aborted)
        console.error(`The server at ${options.url} cannot be reached; trying again.`);
      waitMs = Math.min(mostWaitMs, waitMs * 2 + 500);
    }
    // The server ends every stream after some minutes.
    await sleep(waitMs, undefined, { signal: stop.signal }).catch(() => {});
  }
}

async function* follow(
  { url, key }: Settings,
  last: string,
  signal: AbortSignal,
): AsyncGenerator<EventSourceMessage> {
  const answer = await fetch(`${url}/api/v1/changes/events?jobs=true`, {
    headers: { authorization: `Bearer ${key}`, ...(last !== '' && { 'last-event-id': last }) },
    signal,
  });
  // Only time helps after these.
  if (answer.status === 429 || answer.status >= 500) throw new Error(`status ${answer.status}`);
  if (!answer.ok || answer.body === null) {
    const { error } = z
      .object({ error: z.object({ message: z.string() }) })
      .catch({ error: { message: 'This does not look like a Steno server.' } })
      .parse(await answer.json().catch(() => undefined));
    throw new Failure(`The server answered ${answer.status}. ${error.message}`);
  }
  const messages: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (message) => messages.push(message) });
  for await (const piece of answer.body.pipeThrough(new TextDecoderStream())) {
    parser.feed(piece);
    yield* messages.splice(0);
  }
}

/** Sends one event, once: somebody who writes a receiver wants to see what failed. */
async function forward(
  { id: cursor = '', data }: EventSourceMessage,
  { forward: to, events, secret }: Settings,
  signal: AbortSignal,
  print: CliContext['print'],
): Promise<void> {
  const change = told.parse(JSON.parse(data));
  const event = eventOf(change);
  if (event === undefined || !events.includes(event)) return;
  const webhook = { secret, old_secret: null, old_secret_until: null, space_id: change.space_id };
  const delivery = newDelivery(listener, event, { ...change, seq: cursor });
  const outcome = await fetch(to, {
    method: 'POST',
    ...signedRequest(webhook, delivery, Date.now()),
    redirect: 'manual',
    signal: AbortSignal.any([signal, AbortSignal.timeout(answerWithinMs)]),
  }).then(
    async (answer) => {
      await answer.body?.cancel();
      return `answered ${answer.status}`;
    },
    () => 'no answer',
  );
  print(`${event} ${change.id}: ${outcome}`);
}
