import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAudioDecoder } from '../../src/engines/audio/decoder.ts';
import { describeInBrowser, openConsole, sizes, useBrowser } from '../support/browser.ts';
import { createFakeSpeech } from '../support/speech.ts';
import { startSteno, type TestSteno } from '../support/steno.ts';

/**
 * What browsers do when a device goes, which no fake device does: the tracks that the page was given, its audio contexts, and how
 * often it made a sound of its own.
 */
const watched = `
  window.seen = { tracks: [], contexts: [], alarms: 0, isGone: false, isSilent: false, group: 'first' };
  const devices = navigator.mediaDevices;
  const ask = devices.getUserMedia.bind(devices);
  devices.getUserMedia = async (wanted) => {
    if (seen.isGone) throw new DOMException('Requested device not found', 'NotFoundError');
    const stream = seen.isSilent
      ? new AudioContext().createMediaStreamDestination().stream
      : await ask(wanted);
    seen.tracks.push(stream.getAudioTracks()[0]);
    return stream;
  };
  const list = devices.enumerateDevices.bind(devices);
  devices.enumerateDevices = async () => (await list()).map(({ deviceId, kind, label, groupId }) =>
    ({ deviceId, kind, label, groupId: deviceId === 'default' ? seen.group : groupId }));
  const Context = AudioContext;
  window.AudioContext = class extends Context {
    constructor() {
      super();
      seen.contexts.push(this);
    }
  };
  seen.awake = 0;
  Object.defineProperty(navigator, 'wakeLock', { value: { request: async () => {
    seen.awake += 1;
    return { release: async () => { seen.awake -= 1; } };
  } } });
  navigator.storage.persist = async () => (seen.isPersistent = true);
  const handle = navigator.mediaSession.setActionHandler.bind(navigator.mediaSession);
  navigator.mediaSession.setActionHandler = (key, act) => {
    (seen.keys ??= {})[key] = act;
    handle(key, act);
  };
  const start = OscillatorNode.prototype.start;
  OscillatorNode.prototype.start = function (...given) {
    seen.alarms += 1;
    return start.apply(this, given);
  };
`;
/** As the browser ends a track whose device is gone; `stop` alone tells nobody. */
const unplug = 'seen.tracks.at(-1).stop(); seen.tracks.at(-1).dispatchEvent(new Event("ended"))';
const setMuted = (muted: boolean) => `{
  const track = seen.tracks.at(-1);
  Object.defineProperty(track, 'muted', { value: ${muted}, configurable: true });
  track.dispatchEvent(new Event('${muted ? 'mute' : 'unmute'}'));
}`;

describeInBrowser('a microphone that hears nothing', () => {
  const browser = useBrowser({ microphone: join(import.meta.dirname, '../fixtures/audio/jfk.wav') });
  const speech = createFakeSpeech();
  let steno: TestSteno;
  beforeAll(async () => {
    steno = await startSteno({ speech: { ...speech, decoder: createAudioDecoder() } });
    speech.say('ask not what your country can do for you');
  });
  afterAll(() => steno.close());

  const recorder = (page: Page) => page.getByRole('complementary', { name: 'Recorder' });
  const bar = (page: Page) => recorder(page).getByRole('region', { name: /^(Recording|Paused)$/ });
  const paused = (page: Page) => recorder(page).getByRole('region', { name: 'Paused' });
  const alarms = (page: Page) => page.evaluate<number>('seen.alarms');
  const tracks = (page: Page) => page.evaluate<number>('seen.tracks.length');
  const level = (page: Page) => page.evaluate('document.querySelector("canvas").toDataURL()');
  const sent = 'Sent to the server as you speak';

  async function record(screen: object = {}, before?: (page: Page) => Promise<unknown>) {
    const { user, key } = await steno.person();
    const opened = await openConsole(browser.get(), steno, {
      user,
      path: '/healthz',
      permissions: ['microphone'],
      ...screen,
    });
    const { page, origin } = opened;
    await page.addInitScript(watched);
    await before?.(page);
    await page.goto(`${origin}/notes`);
    await page.getByRole('button', { name: 'Record', exact: true }).filter({ visible: true }).first().click();
    await bar(page).waitFor();
    const recordings = async () => (await steno.call('GET', '/recordings', { key })).body.data;
    return { ...opened, user, recordings };
  }

  test('when it is unplugged, the next one is taken and named, with a sound, and the recording goes on', async () => {
    const { page, complaints, recordings, close } = await record();
    await bar(page).getByText(sent).waitFor();
    await page.evaluate(unplug);
    await page
      .getByText(/^Fake .*hears you now$/)
      .first()
      .waitFor();
    expect(await alarms(page)).toBeGreaterThan(0);
    expect(await paused(page).count()).toBe(0);
    const before = await level(page);
    await expect.poll(() => level(page)).not.toBe(before);
    const { bytes } = (await recordings())[0];
    await expect.poll(async () => (await recordings())[0].bytes).toBeGreaterThan(bytes + 5_000);
    expect(complaints).toEqual([]);
    await close();
  });

  test.each(sizes)(
    'when it was the only one, the recording pauses and says so everywhere; Resume takes the one that is there by then, on %s',
    async (size, screen) => {
      const { page, complaints, recordings, close } = await record(screen);
      await bar(page).getByText(sent).waitFor();
      await page.evaluate(`seen.isGone = true; ${unplug}`);
      await paused(page).getByText('Your microphone is gone').waitFor();
      expect(await alarms(page)).toBeGreaterThan(0);
      expect(await page.getByText(sent).count()).toBe(0);
      await paused(page).getByText('Paused', { exact: true }).waitFor();
      // The record button of every screen.
      if (size === 'a desktop')
        expect(await page.getByRole('navigation').getByRole('button', { name: 'Paused' }).count()).toBe(1);
      // Amber.
      const isAmber = `(() => {
        const style = getComputedStyle([...document.querySelectorAll('.record-button')].find((button) => button.checkVisibility()));
        const probe = document.body.appendChild(document.createElement('i'));
        probe.style.color = 'var(--warning)';
        return [style.color, style.backgroundColor].includes(getComputedStyle(probe).color);
      })()`;
      await expect.poll(() => page.evaluate(isAmber)).toBe(true);

      await page.getByRole('button', { name: 'Resume' }).click();
      await paused(page).getByText('No microphone found').waitFor();
      await page.evaluate('seen.isGone = false');
      const before = await tracks(page);
      await page.getByRole('button', { name: 'Resume' }).click();
      await bar(page).getByText(sent).waitFor();
      expect(await tracks(page)).toBe(before + 1);
      expect(await page.getByText(/microphone is gone|No microphone/).count()).toBe(0);
      const { bytes } = (await recordings())[0];
      await expect.poll(async () => (await recordings())[0].bytes).toBeGreaterThan(bytes + 5_000);
      expect(complaints).toEqual([]);
      await close();
    },
  );

  test('while it is muted, a banner says that nothing is heard, until it is not', async () => {
    const { page, close } = await record();
    await bar(page).getByText(sent).waitFor();
    await page.evaluate(setMuted(true));
    await bar(page).getByText('Your microphone is muted').waitFor();
    expect(await alarms(page)).toBeGreaterThan(0);
    expect(await page.getByText(sent).count()).toBe(0);
    await page.evaluate(setMuted(false));
    await bar(page).getByText(sent).waitFor();
    expect(await page.getByText('Your microphone is muted').count()).toBe(0);
    // Resume after a pause takes a new one if this one is muted.
    await bar(page).getByRole('button', { name: 'Pause' }).click();
    await page.evaluate(setMuted(true));
    const before = await tracks(page);
    await bar(page).getByRole('button', { name: 'Resume' }).click();
    await bar(page).getByText(sent).waitFor();
    expect(await tracks(page)).toBe(before + 1);
    await close();
  });

  test('when the system takes the sound away, as a call on a phone does, the recording pauses', async () => {
    const { page, close } = await record();
    await bar(page).getByText(sent).waitFor();
    await page.evaluate(`{
      const [context] = seen.contexts;
      context.resume = async () => {};
      context.suspend();
    }`);
    await paused(page).getByText('Your device stopped the sound').waitFor();
    expect(await alarms(page)).toBeGreaterThan(0);
    await page.evaluate('delete seen.contexts[0].resume');
    await page.getByRole('button', { name: 'Resume' }).click();
    await bar(page).getByText(sent).waitFor();
    await close();
  });

  test('when another microphone becomes the default one, it is used and named', async () => {
    const { page, close } = await record();
    await bar(page).getByText(sent).waitFor();
    await page.evaluate(
      'seen.group = "second"; navigator.mediaDevices.dispatchEvent(new Event("devicechange"))',
    );
    await page
      .getByText(/^Fake .*hears you now$/)
      .first()
      .waitFor();
    expect(await tracks(page)).toBe(2);
    await close();
  });

  test('while it records the screen stays on, the browser keeps what is kept, and the keys of a headset work', {
    tags: 'slow',
  }, async () => {
    const { page, recordings, close } = await record();
    await bar(page).getByText(sent).waitFor();
    await expect.poll(() => page.evaluate('[seen.awake, seen.isPersistent]')).toEqual([1, true]);
    await page.evaluate('seen.keys.pause()');
    await paused(page).waitFor();
    await page.evaluate('seen.keys.play()');
    await bar(page).getByText(sent).waitFor();
    await expect.poll(async () => (await recordings())[0]?.bytes ?? 0).toBeGreaterThan(1);
    await page.evaluate('seen.keys.stop()');
    await expect.poll(() => page.evaluate('[seen.awake, seen.keys.stop]')).toEqual([0, null]);
    await expect.poll(async () => (await recordings())[0]?.state).toBe('done');
    await close();
  });

  test('a session that ends does not stop it: what is said is kept here, and sent after the next sign-in', async () => {
    const { page, origin, user, recordings, close } = await record();
    await expect.poll(async () => (await recordings())[0]?.bytes ?? 0).toBeGreaterThan(1);
    await page.context().clearCookies();
    await page.getByText('The recording goes on in this browser. Sign in to send it.').waitFor();
    await bar(page)
      .getByText(/kept in this browser and sent when/)
      .waitFor();
    const { bytes } = (await recordings())[0];
    const link = origin + (await steno.sessions.createSignInLink(user.id)).path;
    await page.request.get(link);
    await page.request.post(link, { headers: { origin }, maxRedirects: 0 });
    await expect.poll(async () => (await recordings())[0].bytes).toBeGreaterThan(bytes + 5_000);
    await bar(page).getByText(sent).waitFor();
    await close();
  });

  test('when it gives no sound at all for a minute, a banner asks whether it is the right one', async () => {
    const { page, close } = await record({}, async (page) => {
      await page.clock.install();
      await page.addInitScript('seen.isSilent = true');
    });
    await bar(page).getByText(sent).waitFor();
    await page.clock.fastForward('00:50');
    expect(await alarms(page)).toBe(0);
    await page.clock.fastForward('00:15');
    await bar(page).getByText('Nothing has been heard for a minute').waitFor();
    expect(await alarms(page)).toBeGreaterThan(0);
    expect(await page.getByText(sent).count()).toBe(0);
    await close();
  });
});
