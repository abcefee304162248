import { readFileSync, writeFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import { openapiFile } from '../../src/console/docs.ts';
import { projectPath } from '../../src/lib/program.ts';
import { tagTexts } from '../../src/openapi/texts.ts';
import { createExamples } from '../support/api-examples.ts';
import { tellStory } from '../support/api-story.ts';

const document = JSON.parse(readFileSync(openapiFile, 'utf8'));
// biome-ignore lint/suspicious/noExplicitAny: the document has every shape
type Any = any;
const operations: Any[] = Object.values<Any>(document.paths).flatMap((methods) => Object.values(methods));
const maxExampleBytes = 4_096;

/** Every place of the document that can have an example, with its schema. */
const media = (operation: Any) => {
  const { operationId, requestBody, responses } = operation;
  const answers = Object.entries<Any>(responses).filter(([, { $ref }]) => $ref === undefined);
  return [
    ...Object.entries<Any>(requestBody?.content ?? {}).map(([type, one]) => ({
      place: `${operationId} request`,
      type,
      ...one,
    })),
    ...answers.flatMap(([status, { content = {} }]) =>
      Object.entries<Any>(content).map(([type, one]) => ({
        place: `${operationId} ${status}`,
        type,
        ...one,
      })),
    ),
  ];
};
const isBinary = ({ type, schema }: Any) =>
  schema?.format === 'binary' || /^(audio|application\/zip)/.test(type);

describe('examples in openapi.json', () => {
  test('the story that they are taken from calls every operation', { tags: 'slow' }, async () => {
    const examples = createExamples(document);
    await tellStory(examples.add);
    const file = projectPath('src/openapi/examples.json');
    if (process.env.STENO_TEST_EXAMPLES === 'write') writeFileSync(file, examples.toJson());
    expect(examples.missing(), 'add a call to test/support/api-story.ts').toEqual([]);
  });

  test('every request and answer has one, and it is as its schema says', () => {
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    addFormats.default(ajv);
    ajv.addSchema({ ...document, paths: {}, webhooks: {} }, 'openapi');
    const wrong: unknown[] = [];
    for (const one of operations.flatMap(media)) {
      if (isBinary(one)) continue;
      if (one.example === undefined) wrong.push(`${one.place} ${one.type} has no example`);
      else if (JSON.stringify(one.example).length > maxExampleBytes) wrong.push(`${one.place} is too long`);
      else if (one.type === 'application/json') {
        const schema = JSON.parse(JSON.stringify(one.schema).replaceAll('"#/', '"openapi#/'));
        const validate = ajv.compile(schema);
        if (!validate(one.example)) wrong.push([one.place, validate.errors]);
      }
    }
    expect(wrong, 'run "npm run openapi:examples"').toEqual([]);
  });
});

describe('openapi.json', () => {
  test('describes every operation, parameter and answer', () => {
    const bare = operations.flatMap(({ operationId, description, parameters = [], responses }) => [
      ...(description ? [] : [operationId]),
      ...parameters.filter((one: Any) => !one.description).map(({ name }: Any) => `${operationId} ${name}`),
      ...Object.entries<Any>(responses)
        .filter(([, answer]) => !answer.$ref && /^(Default Response)?$/.test(answer.description))
        .map(([status]) => `${operationId} ${status}`),
    ]);
    expect(bare).toEqual([]);
  });

  test('has a text for every tag, and no other', () => {
    const used = new Set(operations.flatMap(({ tags }) => tags));
    expect(Object.keys(tagTexts).sort()).toEqual([...used].sort());
    expect(document.tags.map(({ name }: Any) => name)).toEqual(Object.keys(tagTexts));
  });

  test('no answer is closed to new fields, and every JSON answer has a name', () => {
    const answers = operations.flatMap(({ responses }) => Object.entries<Any>(responses));
    expect(JSON.stringify([answers, document.components.responses])).not.toContain(
      '"additionalProperties":false',
    );
    const inline = answers
      .filter(([status]) => status < '300')
      .map(([, { content }]) => content?.['application/json']?.schema)
      .filter((schema) => schema?.properties);
    expect(inline).toEqual([]);
  });
});
