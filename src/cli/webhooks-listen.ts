import { createSteno, follow, StenoError, type ToldChange } from '@steno/sdk';
import { type Command, InvalidArgumentError, Option } from 'commander';
import {
  contentEvents,
  eventOf,
  isWebhookSecret,
  newDelivery,
  newWebhookSecret,
  signedRequest,
  type WebhookEvent,
} from '../domain/webhook.ts';
import { type CliContext, command } from './command.ts';
import { Failure, UsageError } from './errors.ts';
import { httpAddress, type ServerOptions, serverOf, stopSignal } from './input.ts';

interface Options extends ServerOptions {
  forward: string;
  events: readonly WebhookEvent[];
  secret?: string;
}

const answerWithinMs = 10_000;
/** What the ids of events are made from, in place of the id of a webhook. */
const listener = 'steno webhooks listen';

export function listenCommand(commands: Command, context: CliContext): void {
  command(
    commands,
    'listen',
    'forward what happens on a server to an address of this machine, as a webhook would',
    'webhooks listen --forward http://localhost:3000/hook --key owk_live_…',
  )
    .requiredOption('--forward <url>', 'where to send it, such as http://localhost:3000/hook')
    .option('--url <url>', 'address of the server (default: the one on this machine)')
    .option('--key <key>', 'your key on it, with notes:read (or set STENO_KEY)')
    .addOption(
      new Option('--events <names>', 'with commas between (default: all)')
        .argParser(eventsOf)
        .default(contentEvents, 'all'),
    )
    .option('--secret <secret>', 'signs what is sent, whsec_… (default: a new one, which is shown)')
    .action((options: Options) => {
      const server = serverOf(options, context);
      const forward = httpAddress('--forward', options.forward);
      const { secret = newWebhookSecret(), events } = options;
      if (!isWebhookSecret(secret))
        throw new UsageError('--secret must begin with whsec_, as the secret of a webhook does.');
      context.print(`Forwarding to ${forward}. Signed with ${secret}`);
      return listen({ ...server, forward, events, secret }, context.print);
    });
}

function eventsOf(text: string): readonly WebhookEvent[] {
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !contentEvents.some((event) => event === name));
  if (unknown !== undefined)
    throw new InvalidArgumentError(`${unknown} is no event; these are: ${contentEvents.join(', ')}.`);
  return contentEvents.filter((event) => names.includes(event));
}

type Settings = Required<Options>;

async function listen(options: Settings, print: CliContext['print']): Promise<void> {
  const { url, key } = options;
  const signal = stopSignal();
  const events = follow(createSteno({ url, key }), '/api/v1/changes/events', {
    params: { query: { jobs: 'true' } },
    signal,
    onLost(error) {
      // The server ends every stream after some minutes.
      if (error !== undefined) console.error(`The server at ${url} cannot be reached; trying again.`);
    },
  });
  try {
    for await (const { event, data, id = '' } of events)
      if (event === 'change') await forward(data, id, options, signal, print);
  } catch (error) {
    if (!(error instanceof StenoError)) throw error;
    const message = error.code === '' ? 'This does not look like a Steno server.' : error.message;
    throw new Failure(`The server answered ${error.status}. ${message}`);
  }
}

/** Sends one event, and does not try again: the developer of a receiver wants to see what failed. */
async function forward(
  change: ToldChange,
  cursor: string,
  { forward: to, events, secret }: Settings,
  signal: AbortSignal,
  print: CliContext['print'],
): Promise<void> {
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
