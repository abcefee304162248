import scalar from '@scalar/fastify-api-reference';
import Fastify from 'fastify';
import type { Plugin } from 'vite';

const id = 'virtual:scalar';
const resolvedId = `\0${id}`;

/** The script of the API reference, as a file of the build. The package has it only inside a Fastify plugin, as a text. */
export const scalarScript = (): Plugin => ({
  name: 'scalar-script',
  apply: 'build',
  resolveId: (asked) => (asked === id ? resolvedId : undefined),
  async load(asked) {
    if (asked !== resolvedId) return undefined;
    const app = Fastify();
    await app.register(scalar, { routePrefix: '/docs', configuration: { content: {} } });
    const { statusCode, rawPayload: source } = await app.inject('/docs/js/scalar.js');
    if (statusCode !== 200) throw new Error(`Scalar's plugin answered ${statusCode} for its script`);
    const file = this.emitFile({ type: 'asset', name: 'scalar.js', source });
    return `export const scalarUrl = import.meta.ROLLUP_FILE_URL_${file}`;
  },
});
