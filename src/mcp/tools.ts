import type { Tool as ListedTool } from '@modelcontextprotocol/server';
import type { FastifyInstance, RouteOptions } from 'fastify';
import { z } from 'zod';
import { type Access, refusal } from '../domain/access.ts';
import type { Plans } from '../domain/plans.ts';
import type { Principal } from '../domain/principal.ts';
import { audioForm } from './audio-form.ts';
import { routeForm, type ToolForm } from './form.ts';

const methods = ['GET', 'POST', 'PATCH', 'DELETE'] as const;

/** A route that names itself a tool, and how the tool's arguments become a request of it. */
export interface Tool extends ToolForm {
  readonly name: string;
  readonly method: (typeof methods)[number];
  readonly access: Access;
  readonly description: string;
}

export type ToolTable = ReturnType<typeof createToolTable>;

/** Every route with `config.tool` is a tool, and there are no others. Call `watch` before the routes are registered. */
export function createToolTable(plans: Plans) {
  const tools = new Map<string, Tool>();
  return {
    watch(app: FastifyInstance): void {
      app.addHook('onRoute', (route) => {
        const tool = toTool(route);
        if (tool === undefined) return;
        if (tools.has(tool.name)) throw new Error(`Two routes are the tool ${tool.name}.`);
        tools.set(tool.name, tool);
      });
    },
    find: (name: string) => tools.get(name),
    /** A tool that the key could only be refused would mislead the assistant that reads the list. */
    allowedTo: (principal: Principal) =>
      [...tools.values()].filter(({ access }) => refusal(access, principal, plans) === null),
  };
}

function toTool(route: RouteOptions): Tool | undefined {
  const { tool: name, access = { credential: 'none' } } = route.config ?? {};
  // Fastify gives every GET route a HEAD twin with the same config.
  const method = methods.find((known) => known === route.method);
  if (name === undefined || method === undefined) return undefined;
  const form = name === 'transcribe_audio' ? audioForm(route) : routeForm(route);
  return { name, method, access, description: route.schema?.summary ?? name, ...form };
}

/** The tool as `tools/list` shows it. */
export function describeTool({ name, description, input, method, access }: Tool): ListedTool {
  const readOnlyHint = method === 'GET' || (access.credential === 'key' && isRead(access.personal));
  return {
    name,
    description,
    inputSchema: inputSchemaOf(input),
    annotations: {
      readOnlyHint,
      destructiveHint: method === 'DELETE' || method === 'PATCH',
      idempotentHint: readOnlyHint || method === 'PATCH',
      openWorldHint: false,
    },
  };
}

const isRead = (scope: string | undefined) => scope?.endsWith(':read') === true;

/** Assistants pay for every character of it: a pattern that only repeats the format (a UUID's has 180) is left out. */
function inputSchemaOf(input: z.ZodObject): ListedTool['inputSchema'] {
  const { $schema, ...schema } = z.toJSONSchema(input, {
    io: 'input',
    override: ({ jsonSchema }) => {
      if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
    },
  });
  // Zod's type of a schema allows what JSON does not; what it writes is plain JSON.
  return schema as ListedTool['inputSchema'];
}
