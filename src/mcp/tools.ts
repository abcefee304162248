import type { Tool as ListedTool } from '@modelcontextprotocol/server';
import type { RouteOptions } from 'fastify';
import { z } from 'zod';
import { type Access, refusal } from '../domain/access.ts';
import type { Plans } from '../domain/plans.ts';
import type { Principal } from '../domain/principal.ts';
import { audioForm } from './audio-form.ts';
import { routeForm, type ToolForm } from './form.ts';
import { outputOf } from './output.ts';

const methods = ['GET', 'POST', 'PATCH', 'DELETE'] as const;

/** A route that names a tool, and how the tool's arguments become a request to it. */
export interface Tool extends ToolForm {
  readonly name: string;
  readonly method: (typeof methods)[number];
  readonly access: Access;
  readonly description: string;
  readonly output: z.ZodType;
}

export type ToolTable = ReturnType<typeof toolTable>;

/** The tools are the finished routes with `config.tool`. */
export function toolTable(routes: readonly RouteOptions[], plans: Plans) {
  const tools = new Map<string, Tool>();
  for (const tool of routes.flatMap((route) => toTool(route) ?? [])) {
    if (tools.has(tool.name)) throw new Error(`Two routes name the tool ${tool.name}.`);
    tools.set(tool.name, tool);
  }
  return {
    find: (name: string) => tools.get(name),
    /** Without the tools that the key may not use: they would mislead the assistant. */
    allowedTo: (principal: Principal) =>
      [...tools.values()].filter(({ access }) => refusal(access, principal, plans) === null),
  };
}

function toTool(route: RouteOptions): Tool | undefined {
  const { tool: name, access = { credential: 'none' } } = route.config ?? {};
  // Fastify adds a HEAD route with the same config to every GET route.
  const method = methods.find((known) => known === route.method);
  if (name === undefined || method === undefined) return undefined;
  const form = name === 'transcribe_audio' ? audioForm(route) : routeForm(route);
  return {
    name,
    method,
    access,
    description: route.schema?.summary ?? name,
    output: outputOf(route),
    ...form,
  };
}

/** The tool as `tools/list` shows it. */
export function describeTool({ name, description, input, output, method, access }: Tool): ListedTool {
  const readOnlyHint = method === 'GET' || (access.credential === 'key' && isRead(access.personal));
  return {
    name,
    description,
    inputSchema: toJsonSchema(input, 'input'),
    outputSchema: toJsonSchema(output, 'output'),
    annotations: {
      readOnlyHint,
      destructiveHint: method === 'DELETE' || method === 'PATCH',
      idempotentHint: readOnlyHint || method === 'PATCH',
      openWorldHint: false,
    },
  };
}

const isRead = (scope: string | undefined) => scope?.endsWith(':read') === true;

/**
 * Assistants pay for every character. A pattern only repeats the format (180 characters for a UUID), so it is left out, and of
 * answers, which explain themselves, the descriptions too.
 */
function toJsonSchema(schema: z.ZodType, io: 'input' | 'output'): ListedTool['inputSchema'] {
  const { $schema, ...described } = z.toJSONSchema(schema, {
    io,
    override: ({ jsonSchema }) => {
      if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
      if (io === 'input') return;
      delete jsonSchema.description;
      delete jsonSchema.additionalProperties;
    },
  });
  // Zod's type allows more than JSON; what it writes is plain JSON. The protocol wants an object, which a union does not say.
  return { type: 'object', ...described } as ListedTool['inputSchema'];
}
