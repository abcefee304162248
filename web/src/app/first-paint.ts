import type { components } from '@steno/sdk';
import { firstAnswer } from '../api/first-answers.ts';
import { excerptOf } from '../lib/excerpt.ts';
import { formatShort } from '../lib/format.ts';
import { headingAt } from '../screens/notes/headings.ts';
import listStyles from '../screens/notes/note-list.module.css';
import styles from '../screens/notes/notes.module.css';
import { rememberedSort } from '../screens/notes/remembered-sort.ts';
import { commonStrings } from '../strings/common.ts';
import { navStrings, paletteStrings } from '../strings/frame.ts';
import { noteStrings } from '../strings/notes.ts';
import { recordStrings } from '../strings/record.ts';
import { type IconName, iconPaths } from '../ui/icon-paths.ts';
import { isTab, mainPlaces, type Place, placesWith, settingsPlaces, tabsBeforeRecord } from './places.ts';

type Note = components['schemas']['Note'];
type Me = components['schemas']['Me'];

/** The request of the notes screen; the page names it too. */
const listUrl = '/api/v1/notes/list?limit=50&pinned=first&sort=created';

/** Draws the frame and the list of notes from the answers in the page, before React is loaded. Its links work. */
export function paintFirst(root: HTMLElement): void {
  const who = firstAnswer('/api/v1/me');
  if (who?.status !== 200) return;
  const { pathname, search } = window.location;
  // The server's schema guarantees the shapes.
  const { data: me } = who.body as { data: Me };
  const list = firstAnswer(listUrl)?.body as { data: Note[] } | undefined;
  const isPlain = list !== undefined && search === '' && rememberedSort() === 'created';
  const main = element('main', 'main', ...(isPlain ? [notes(list.data)] : []));
  const shell = element('div', 'shell', sidebar(pathname, me.language_model), main, tabs(pathname));
  // Screen readers and the keyboard wait for React's list, which responds to them, a moment later.
  shell.setAttribute('aria-hidden', 'true');
  root.replaceChildren(shell);
}

function sidebar(path: string, hasModel: boolean): Element {
  const brand = element('img');
  Object.assign(brand, { src: '/icon.svg', width: 26, height: 26, alt: '' });
  const links = [...placesWith(Object.values<Place>(mainPlaces), hasModel), settings].map((place) =>
    element('li', '', placeLink(place, path)),
  );
  return element(
    'nav',
    'sidebar',
    link('/notes', 'brand', brand, commonStrings.product),
    recordButton(),
    element('span', 'nav-link', icon('search'), paletteStrings.title),
    element('ul', 'nav-list', ...links),
  );
}

function tabs(path: string): Element {
  const links = Object.values<Place>(mainPlaces)
    .filter(isTab)
    .map((place) => placeLink(place, path));
  links.splice(tabsBeforeRecord, 0, recordButton());
  return element('nav', 'tab-bar', ...links, link('/account', 'nav-link', icon('dots'), navStrings.more));
}

const settings: Place = { ...settingsPlaces.account, label: navStrings.settings, icon: 'sliders' };

const recordButton = () =>
  element('span', 'record-button', icon('mic'), element('span', '', recordStrings.record));

function placeLink({ href, label, icon: name }: Place, path: string): Element {
  const isHere = path.startsWith(href) || (path === '/' && href === '/notes');
  const made = link(href, 'nav-link', icon(name), label);
  if (isHere) made.setAttribute('aria-current', 'page');
  return made;
}

/** Mirrors screens/notes and uses its styles. */
function notes(shown: Note[]): Element {
  const items = shown.map((note, at) => {
    const heading = headingAt(shown, at, 'created');
    return element(
      'li',
      '',
      ...(heading ? [element('h2', listStyles.day, heading)] : []),
      link(
        `/notes/${note.id}`,
        listStyles.item,
        head(note),
        direct(element('span', listStyles.itemText, excerptOf(note.content))),
      ),
    );
  });
  return element(
    'div',
    styles.screen,
    element(
      'section',
      styles.listPane,
      element('header', styles.listHead, element('h1', 'truncate', noteStrings.all)),
      element('div', styles.search, element('div', 'input')),
      element('div', styles.listBody, element('ul', listStyles.list, ...items)),
    ),
    element('section', styles.notePane),
  );
}

function head({ title, note_type, created_at }: Note): Element {
  const name = direct(element('span', listStyles.itemTitle, title || noteStrings.untitled));
  const mark = note_type === 'personal' ? [] : [element('span', listStyles.voice, icon('wave', 16))];
  return element('span', listStyles.itemHead, ...mark, name, element('time', '', formatShort(created_at)));
}

function direct(text: Element): Element {
  text.setAttribute('dir', 'auto');
  return text;
}

function link(href: string, classes: string | undefined, ...children: (Element | string)[]): Element {
  const made = element('a', classes, ...children);
  made.setAttribute('href', href);
  made.setAttribute('tabindex', '-1');
  return made;
}

function element(tag: string, classes = '', ...children: (Element | string)[]): HTMLElement {
  const made = document.createElement(tag);
  if (classes !== '') made.className = classes;
  made.append(...children);
  return made;
}

function icon(name: IconName, size = 20): Element {
  const made = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  const look = {
    fill: 'none',
    stroke: 'currentColor',
    'stroke-width': 1.5,
    'stroke-linecap': 'round',
    'stroke-linejoin': 'round',
  };
  const attributes = { viewBox: '0 0 20 20', width: size, height: size, 'aria-hidden': true, ...look };
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, String(value));
  path.setAttribute('d', iconPaths[name]);
  made.append(path);
  return made;
}
