import '@fontsource-variable/inter/wght.css';
import '@fontsource/source-serif-4/600.css';
import '../styles/tokens.css';
import './docs.css';
import { scalarUrl } from 'virtual:scalar';
import { isDark, showTheme } from '../lib/theme.ts';

interface Scalar {
  createApiReference(selector: string, settings: Record<string, unknown>): void;
}

showTheme();

/** Scalar's own script; it makes `window.Scalar`. */
const script = document.createElement('script');
script.src = scalarUrl;
script.onload = () => {
  const scalar: Scalar = Reflect.get(window, 'Scalar');
  scalar.createApiReference('#docs', {
    url: '/api/v1/openapi.json',
    // The theme of the console.
    forceDarkModeState: isDark() ? 'dark' : 'light',
    hideDarkModeToggle: true,
    theme: 'none',
    withDefaultFonts: false,
    defaultOpenAllTags: false,
    hideModels: true,
    // Nothing goes to another host: no analytics, no chat, no hosted client.
    telemetry: false,
    agent: { disabled: true },
    mcp: { disabled: true },
    hideClientButton: true,
    showDeveloperTools: 'never',
    persistAuth: false,
  });
};
document.head.append(script);
