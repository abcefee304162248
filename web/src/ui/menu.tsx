import { cloneElement, lazy, type ReactElement, type ReactNode, Suspense, useState } from 'react';

const load = () => import('./open-menu.tsx');
const OpenMenu = lazy(async () => ({ default: (await load()).OpenMenu }));
export const MenuItem = lazy(async () => ({ default: (await load()).MenuItem }));
export const MenuChoice = lazy(async () => ({ default: (await load()).MenuChoice }));
export const MenuGroup = lazy(async () => ({ default: (await load()).MenuGroup }));
export const MenuLine = lazy(async () => ({ default: (await load()).MenuLine }));

interface Props {
  /** One button. */
  trigger: ReactElement<Record<string, unknown>>;
  children: ReactNode;
}

/** Menus would be an eighth of the code of the first page, so they are loaded when a person is about to open one. */
export function Menu({ trigger, children }: Props) {
  const [wanted, setWanted] = useState(false);
  const button = cloneElement(trigger, {
    'aria-haspopup': 'menu',
    onPointerEnter: load,
    onFocus: load,
    onClick: () => setWanted(true),
  });
  if (!wanted) return button;
  return (
    <Suspense fallback={button}>
      <OpenMenu trigger={trigger}>{children}</OpenMenu>
    </Suspense>
  );
}
