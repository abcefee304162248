import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { BadSettings, readConfig } from '../src/config.ts';
import { settings } from '../src/settings.ts';

const page = readFileSync(join(import.meta.dirname, '../docs/settings.md'), 'utf8');
const described = z.toJSONSchema(settings, { io: 'input', unrepresentable: 'any' }).properties ?? {};

describe('the settings', () => {
  test.each(Object.entries(described))(
    '%s stands in docs/settings.md with its default and its sentence',
    (name, setting) => {
      if (typeof setting === 'boolean') expect.fail(`${name} has no description`);
      const { default: fallback = '', description } = setting;
      const shown = fallback === '' ? '' : `\`${String(fallback)}\``;
      expect(description).toBeTruthy();
      expect(page).toContain(`| \`${name}\` | ${shown} | ${description} |`);
    },
  );

  test('an empty value counts as not given', () => {
    expect(readConfig({ STENO_PORT: '', STENO_DATABASE_URL: '' })).toEqual(readConfig({}));
  });

  test.each([
    ['STENO_PORT', '99999'],
    ['STENO_PORT', 'http'],
    ['STENO_DATABASE_URL', 'mysql://localhost/steno'],
    ['STENO_DEFAULT_PLAN', 'gold'],
    ['STENO_SIGNUP', 'everyone@example.org'],
    ['STENO_AUTH_SECRET', 'short'],
  ])('%s=%s is refused by name', (name, value) => {
    expect(() => readConfig({ [name]: value })).toThrow(BadSettings);
    expect(() => readConfig({ [name]: value })).toThrow(name);
  });
});
