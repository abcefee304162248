import { type ReactNode, useId, useState } from 'react';
import { keysOf } from '../lib/command-table.ts';
import { connection } from '../lib/connection.ts';
import { NavLink, useLocation } from '../lib/router.tsx';
import { useStore } from '../lib/store.ts';
import { isHeldUp } from '../notes/documents.ts';
import { useUnsavedTexts } from '../notes/use-documents.tsx';
import { heldUploads } from '../recorder/state.ts';
import { useReceivedInvitations } from '../resources/invitations.ts';
import { useHasModel, useIsOperator } from '../resources/session.ts';
import { commonStrings } from '../strings/common.ts';
import { paletteStrings, navStrings as texts } from '../strings/frame.ts';
import { workspaceStrings } from '../strings/workspaces.ts';
import { Icon, type IconName } from '../ui/icon.tsx';
import { later } from '../ui/later.tsx';
import { RecordButton } from './dock-place.tsx';
import { openPalette } from './overlays.tsx';
import { isTab, type Place, placesWith, settingsPlaces, tabsBeforeRecord } from './places.ts';
import {
  isWithin,
  mainScreens,
  openScreens,
  operatorScreens,
  settingsScreens,
  unsavedScreen,
} from './screens.tsx';

const Dialog = later(async () => (await import('../ui/dialog.tsx')).Dialog);
const FolderNav = later(async () => (await import('../screens/notes/folder-nav.tsx')).FolderNav);

/** On the left, on screens wider than 46 rem. */
export function Sidebar() {
  const { pathname } = useLocation();
  const hasModel = useHasModel();
  return (
    <nav className="sidebar" aria-label={texts.label}>
      <NavLink to="/notes" className="brand">
        <img src="/icon.svg" width={26} height={26} alt="" />
        {commonStrings.product}
      </NavLink>
      <RecordButton />
      <PaletteButton />
      <ul className="nav-list">
        {placesWith(mainScreens, hasModel).map((screen) => (
          <li key={screen.href}>
            <PlaceLink place={screen} />
            {screen.href === '/notes' && isWithin(pathname, '/notes') && <FolderNav />}
          </li>
        ))}
        <NotSaved />
        <li>
          <Settings
            isOpen={[...settingsScreens, ...operatorScreens].some(({ href }) => isWithin(pathname, href))}
          />
        </li>
      </ul>
      <div className="sidebar-foot">
        <Version />
      </div>
    </nav>
  );
}

/** What is set up once or looked at now and then, out of the way of the notes. */
function Settings({ isOpen }: { isOpen: boolean }) {
  const hasModel = useHasModel();
  const isOperator = useIsOperator();
  if (!isOpen)
    return (
      <PlaceLink place={{ ...settingsPlaces.account, label: texts.settings, icon: 'sliders' }}>
        <WaitingInvitations />
      </PlaceLink>
    );
  return (
    <>
      <Below title={texts.settings} icon="sliders" places={placesWith(settingsScreens, hasModel)}>
        <li>
          <DocsLink />
        </li>
      </Below>
      {isOperator && <Below title={texts.operator} icon="key" places={operatorScreens} />}
    </>
  );
}

interface BelowProps {
  title: string;
  icon: IconName;
  places: readonly Place[];
  children?: ReactNode;
}

function Below({ title, icon, places, children }: BelowProps) {
  const id = useId();
  return (
    <>
      <p className="nav-link nav-title" id={id}>
        <Icon name={icon} />
        {title}
      </p>
      <ul className="nav-list nav-below" aria-labelledby={id}>
        {places.map((place) => (
          <li key={place.href}>
            <SettingsLink place={place} />
          </li>
        ))}
        {children}
      </ul>
    </>
  );
}

/** What only this browser has, while something holds it up. */
function useHeldUp(): number {
  return useUnsavedTexts().filter(isHeldUp).length + useStore(heldUploads);
}

function NotSaved() {
  const count = useHeldUp();
  const { pathname } = useLocation();
  const isOpen = isWithin(pathname, unsavedScreen.href);
  if (count === 0 && !isOpen) return null;
  return (
    <li>
      <PlaceLink place={unsavedScreen}>
        <Count count={count} tone="warning" label={texts.notOnServer(count)} />
      </PlaceLink>
    </li>
  );
}

/** At the bottom, on phones. */
export function TabBar() {
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  const hasModel = useHasModel();
  const tabs = mainScreens.filter(isTab);
  const isOperator = useIsOperator();
  const held = useHeldUp();
  const others = openScreens({ hasModel, isOperator }).filter(
    (screen) => !tabs.some(({ href }) => href === screen.href),
  );
  return (
    <nav className="tab-bar" aria-label={texts.label}>
      {tabs.slice(0, tabsBeforeRecord).map((screen) => (
        <PlaceLink key={screen.href} place={screen} />
      ))}
      <RecordButton stops />
      {tabs.slice(tabsBeforeRecord).map((screen) => (
        <PlaceLink key={screen.href} place={screen} />
      ))}
      <button type="button" className="nav-link" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        <Icon name="dots" />
        {texts.more}
        <Count count={held} tone="warning" label={texts.notOnServer(held)} />
      </button>
      {open && (
        <Dialog open onClose={close} title={commonStrings.product}>
          <div className="more-sheet">
            <PaletteButton onClick={close} />
            {held > 0 && (
              <PlaceLink place={unsavedScreen} onClick={close}>
                <Count count={held} tone="warning" label={texts.notOnServer(held)} />
              </PlaceLink>
            )}
            {others.map((screen) => (
              <SettingsLink key={screen.href} place={screen} onClick={close} />
            ))}
            <DocsLink />
            <Version />
          </div>
        </Dialog>
      )}
    </nav>
  );
}

interface PlaceProps {
  place: Place;
  onClick?: () => void;
  children?: ReactNode;
}

const PlaceLink = ({ place, onClick, children }: PlaceProps) => (
  <NavLink to={place.href} className="nav-link" {...(onClick ? { onClick } : {})}>
    <Icon name={place.icon} />
    {place.label}
    {children}
  </NavLink>
);

const SettingsLink = (props: PlaceProps) => (
  <PlaceLink {...props}>{props.place.href === '/workspaces' && <WaitingInvitations />}</PlaceLink>
);

function PaletteButton({ onClick }: { onClick?: () => void }) {
  return (
    <button
      type="button"
      className="nav-link"
      aria-keyshortcuts={keysOf('palette')}
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
  return <Count count={count} tone="accent" label={workspaceStrings.waiting(count)} />;
}

function Count({ count, tone, label }: { count: number; tone: 'accent' | 'warning'; label: string }) {
  if (count === 0) return null;
  return (
    <span className={`badge badge-${tone}`} title={label}>
      <span aria-hidden="true">{count}</span>
      <span className="visually-hidden">{label}</span>
    </span>
  );
}

const DocsLink = () => (
  <a className="nav-link" href="/docs" target="_blank" rel="noreferrer">
    <Icon name="external" />
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
