import { lazy, Suspense, useState } from 'react';
import { NavLink, useLocation } from 'react-router';
import { connection } from '../lib/connection.ts';
import { useStore } from '../lib/store.ts';
import { useReceivedInvitations } from '../resources/invitations.ts';
import { commonStrings } from '../strings/common.ts';
import { navStrings, paletteStrings } from '../strings/frame.ts';
import { workspaceStrings } from '../strings/workspaces.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Icon, type IconName } from '../ui/icon.tsx';
import { RecordButton } from './dock-place.tsx';
import { openPalette } from './overlays.tsx';
import { tabsBeforeRecord } from './places.ts';
import { accountScreen, phoneScreens, type Screen, screens } from './screens.tsx';

const texts = navStrings;
const FolderNav = lazy(async () => ({
  default: (await import('../screens/notes/folder-nav.tsx')).FolderNav,
}));

/** On the left, on screens wider than 46 rem. */
export function Sidebar() {
  const inNotes = useLocation().pathname.startsWith('/notes');
  return (
    <nav className="sidebar" aria-label={texts.label}>
      <NavLink to="/notes" className="brand">
        <img src="/icon.svg" width={26} height={26} alt="" />
        {commonStrings.product}
      </NavLink>
      <RecordButton />
      <PaletteButton />
      <ul className="nav-list">
        {screens.map((screen) => (
          <li key={screen.href} className={screen.startsGroup ? 'nav-group' : undefined}>
            <ScreenLink screen={screen} />
            {screen.href === '/notes' && inNotes && (
              <Suspense>
                <FolderNav />
              </Suspense>
            )}
          </li>
        ))}
      </ul>
      <div className="sidebar-foot">
        <ScreenLink screen={accountScreen} />
        <DocsLink />
        <Version />
      </div>
    </nav>
  );
}

/** At the bottom, on phones. */
export function TabBar() {
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  const rest = [...screens.slice(phoneScreens.length), accountScreen];
  return (
    <nav className="tab-bar" aria-label={texts.label}>
      {phoneScreens.slice(0, tabsBeforeRecord).map((screen) => (
        <ScreenLink key={screen.href} screen={screen} />
      ))}
      <RecordButton stops />
      {phoneScreens.slice(tabsBeforeRecord).map((screen) => (
        <ScreenLink key={screen.href} screen={screen} />
      ))}
      <button type="button" className="nav-link" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        <Icon name="dots" />
        {texts.more}
      </button>
      <Dialog open={open} onClose={close} title={commonStrings.product}>
        <div className="more-sheet">
          <PaletteButton onClick={close} />
          {rest.map((screen) => (
            <ScreenLink key={screen.href} screen={screen} onClick={close} />
          ))}
          <DocsLink />
          <Version />
        </div>
      </Dialog>
    </nav>
  );
}

function ScreenLink({ screen, onClick }: { screen: Screen; onClick?: () => void }) {
  return (
    <NavLink to={screen.href} className="nav-link" {...(onClick ? { onClick } : {})}>
      <Icon name={screen.icon} />
      {screen.label}
      {screen.href === '/workspaces' && <WaitingInvitations />}
    </NavLink>
  );
}

function PaletteButton({ onClick }: { onClick?: () => void }) {
  return (
    <button
      type="button"
      className="nav-link"
      aria-keyshortcuts="Control+K"
      onClick={() => {
        onClick?.();
        openPalette();
      }}
    >
      <Icon name="search" />
      {paletteStrings.title}
    </button>
  );
}

function WaitingInvitations() {
  const count = useReceivedInvitations().data?.length ?? 0;
  if (count === 0) return null;
  return (
    <span className="badge badge-accent" title={workspaceStrings.waiting(count)}>
      <span aria-hidden="true">{count}</span>
      <span className="visually-hidden">{workspaceStrings.waiting(count)}</span>
    </span>
  );
}

const docsIcon: IconName = 'external';

const DocsLink = () => (
  <a className="nav-link" href="/docs" target="_blank" rel="noreferrer">
    <Icon name={docsIcon} />
    {texts.docs}
  </a>
);

function Version() {
  const server = useStore(connection);
  const state = server === 'up' ? 'ok' : server === 'asking' ? 'asking' : 'down';
  return (
    <p className="version">
      <span className="health" data-health={state} />
      <span className="visually-hidden">{texts.health[state]}</span>
      <span title={texts.health[state]}>{texts.version(__STENO_VERSION__)}</span>
    </p>
  );
}
