import { paintFirst } from './app/first-paint.ts';
// Inter for text and Source Serif 4 for headings (SIL Open Font License 1.1). A browser loads only the scripts that it shows.
import '@fontsource-variable/inter/wght.css';
import '@fontsource/source-serif-4/600.css';
import { showTheme } from './lib/theme.ts';
import './styles/tokens.css';
import './styles/base.css';
import './styles/ui.css';
import './styles/content.css';
import './styles/shell.css';

showTheme();

/** The focus ring is for people who use the keyboard. */
const { dataset } = document.documentElement;
window.addEventListener('pointerdown', () => {
  dataset.pointer = '';
});
window.addEventListener('keydown', () => {
  delete dataset.pointer;
});

const root = document.getElementById('root');
if (root) {
  try {
    paintFirst(root);
  } finally {
    // On a slow line, the list appears seconds before this is loaded.
    if (/^\/(notes|$)/.test(window.location.pathname)) void import('./screens/notes/index.tsx');
    void import('./app/start.tsx').then(({ start }) => start(root));
  }
}
