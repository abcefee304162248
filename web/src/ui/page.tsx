import type { ReactNode, Ref } from 'react';
import { classNames } from '../lib/class-names.ts';
import { Link } from '../lib/router.tsx';
import { useTitle } from '../lib/use-title.ts';
import { Icon } from './icon.tsx';

interface PageProps {
  title: string;
  /** A link back to the list that this page was opened from. */
  back?: { to: string; label: string };
  lead?: ReactNode;
  /** Buttons at the right of the title. */
  actions?: ReactNode;
  children: ReactNode;
  wide?: boolean;
  ref?: Ref<HTMLDivElement>;
}

/** A screen that scrolls as a whole: title, a sentence, content. */
export function Page({ title, back, lead, actions, children, wide = false, ref }: PageProps) {
  useTitle(title);
  return (
    <div className={classNames('page', wide && 'page-wide')} ref={ref}>
      {back && (
        <Link className="page-back" to={back.to}>
          <Icon name="back" />
          {back.label}
        </Link>
      )}
      <header className="page-head">
        <div>
          <h1>{title}</h1>
          {lead && <p className="page-lead">{lead}</p>}
        </div>
        {actions && <div className="page-actions">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

/** A part of a page with its own heading. */
export function Section({
  title,
  actions,
  children,
}: {
  title: string;
  actions?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section className="section">
      <header className="section-head">
        <h2>{title}</h2>
        {actions}
      </header>
      {children}
    </section>
  );
}

export function Badge({
  tone = 'plain',
  children,
}: {
  tone?: 'plain' | 'accent' | 'warning';
  children: ReactNode;
}) {
  return <span className={`badge badge-${tone}`}>{children}</span>;
}

/** A framed list; each child is a `Row`. */
export function List({ label, children }: { label: string; children: ReactNode }) {
  return (
    <ul className="list" aria-label={label}>
      {children}
    </ul>
  );
}

/** One item: its name, details below, buttons at the right. */
export function Row({
  children,
  detail,
  actions,
}: {
  children: ReactNode;
  detail?: ReactNode;
  actions?: ReactNode;
}) {
  return (
    <li className="row">
      <div className="row-main">
        <div className="row-title">{children}</div>
        {detail && <div className="row-detail">{detail}</div>}
      </div>
      {actions && <div className="row-actions">{actions}</div>}
    </li>
  );
}

/** How much of a limit is used. `limit` -1 means no limit, and no bar. */
export function Meter({
  label,
  value,
  limit,
  text,
}: {
  label: string;
  value: number;
  limit: number;
  text: string;
}) {
  const share = limit > 0 ? Math.min(1, value / limit) : 0;
  return (
    <div className="meter">
      <div className="meter-head">
        <span>{label}</span>
        <span className="numbers muted">{text}</span>
      </div>
      {limit > 0 && (
        <progress
          className={share > 0.9 ? 'meter-bar meter-full' : 'meter-bar'}
          max={1}
          value={share}
          aria-label={label}
        />
      )}
    </div>
  );
}
