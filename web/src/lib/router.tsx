import {
  type AnchorHTMLAttributes,
  createContext,
  type MouseEvent,
  type ReactNode,
  useContext,
  useEffect,
  useMemo,
} from 'react';
import { classNames } from './class-names.ts';
import { randomId } from './random-id.ts';
import { createStore, useStore } from './store.ts';
import { hasUnsaved } from './unsaved.ts';

/** Addresses and links of the console. A library for this was a twelfth of the code of the first page. */
export interface Location {
  pathname: string;
  search: string;
  hash: string;
  /** What the link gave along, such as the key of a draft. Only the screen that reads it knows its shape. */
  // biome-ignore lint/suspicious/noExplicitAny: see above
  state: any;
  /** Another one for each visit, also of the same address. */
  key: string;
  /** How many pages of this tab are before it. */
  index: number;
}

interface Entry {
  state?: unknown;
  key?: string;
  index?: number;
}

function read(): Location {
  const { pathname, search, hash } = window.location;
  // Only `write` puts something there.
  const { state = null, key = 'first', index = 0 } = (window.history.state ?? {}) as Entry;
  return { pathname, search, hash, state, key, index };
}

const here = createStore(read());

/** A way out of a page with something unsaved. It waits for the person's answer. */
export const leaving = createStore<(() => void) | undefined>(undefined);

/** The browser has already left when it says so: it is sent back while the person is asked, and then through. */
let sent: 'back' | 'through' | undefined;
window.addEventListener('popstate', () => {
  const next = read();
  const steps = next.index - here.get().index;
  const was = sent;
  sent = undefined;
  if (was === 'back') return;
  if (was === 'through' || steps === 0 || !hasUnsaved()) return here.set(next);
  sent = 'back';
  window.history.go(-steps);
  leaving.set(() => {
    sent = 'through';
    window.history.go(steps);
  });
});

interface Going {
  replace?: boolean;
  state?: unknown;
}

/** `to` may be relative to this address; an empty one is this address. */
export function navigate(to: string, going: Going = {}): void {
  const target = new URL(to, window.location.href);
  if (target.pathname !== here.get().pathname && hasUnsaved()) leaving.set(() => go(target, going));
  else go(target, going);
}

function go({ pathname, search, hash }: URL, { replace = false, state = null }: Going): void {
  const { index } = here.get();
  const entry: Entry = { state, key: randomId(), index: replace ? index : index + 1 };
  const address = pathname + search + hash;
  if (replace) window.history.replaceState(entry, '', address);
  else window.history.pushState(entry, '', address);
  here.set(read());
}

export const useLocation = (): Location => useStore(here);

export function useSearchParams() {
  const { search } = useLocation();
  const params = useMemo(() => new URLSearchParams(search), [search]);
  return [params, setSearchParams] as const;
}
type Params = URLSearchParams | Record<string, string>;
const setSearchParams = (next: Params | ((before: URLSearchParams) => Params), going?: Going) => {
  const before = new URLSearchParams(window.location.search);
  const search = new URLSearchParams(typeof next === 'function' ? next(before) : next).toString();
  navigate(window.location.pathname + (search && `?${search}`), going);
};

/** The named parts of the address, as in `notes/:id?`; undefined for another address. */
export function matchPath(pattern: string, pathname: string): Record<string, string> | undefined {
  const parts = pathname.split('/').filter((part) => part !== '');
  const wanted = pattern.split('/').filter((part) => part !== '');
  if (parts.length > wanted.length) return undefined;
  const params: Record<string, string> = {};
  for (const [at, name] of wanted.entries()) {
    const part = parts[at];
    if (part === undefined && name.endsWith('?')) continue;
    if (part === undefined || (!name.startsWith(':') && name !== part)) return undefined;
    if (name.startsWith(':')) params[name.replace(/^:|\?$/g, '')] = decoded(part);
  }
  return params;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

const params = createContext<Record<string, string>>({});
export const ParamsProvider = params.Provider;
export const useParams = (): Record<string, string | undefined> => useContext(params);

export function Navigate({ to, replace, state }: { to: string } & Going): null {
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each address
  useEffect(() => navigate(to, { replace: replace ?? false, state }), [to]);
  return null;
}

interface LinkProps extends Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href'> {
  to: string;
  state?: unknown;
  children?: ReactNode;
}

export function Link({ to, state, onClick, ...rest }: LinkProps) {
  function follow(event: MouseEvent<HTMLAnchorElement>) {
    onClick?.(event);
    const { defaultPrevented, button, metaKey, ctrlKey, shiftKey, altKey, currentTarget } = event;
    // The browser opens other tabs and windows, and downloads.
    if (defaultPrevented || button !== 0 || metaKey || ctrlKey || shiftKey || altKey || rest.target) return;
    event.preventDefault();
    navigate(to, { state, replace: currentTarget.href === window.location.href });
  }
  return <a {...rest} href={to} onClick={follow} />;
}

/** Says when it leads to the open page or one below it. */
export function NavLink({ to, className, ...rest }: LinkProps) {
  const { pathname } = useLocation();
  const [path = ''] = to.split('?');
  const isHere = pathname === path || pathname.startsWith(`${path}/`);
  return (
    <Link
      {...rest}
      to={to}
      className={classNames(className, isHere && 'active')}
      aria-current={isHere ? 'page' : undefined}
    />
  );
}
