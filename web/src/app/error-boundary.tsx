import { Component, type ReactNode } from 'react';
import { connection } from '../lib/connection.ts';
import { useStore } from '../lib/store.ts';
import { errorStrings } from '../strings/errors.ts';
import { shellStrings } from '../strings/frame.ts';
import { Button } from '../ui/button.tsx';
import { EmptyState } from '../ui/states.tsx';

const { crashed: texts, newVersion } = shellStrings;

/** The messages of browsers for a file of the page that could not be loaded. */
const notLoaded = /dynamically imported module|Importing a module script failed|Unable to preload/i;

/** When one screen crashes, the navigation stays. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { failed: boolean; away: boolean }> {
  override state = { failed: false, away: false };

  static getDerivedStateFromError(error: unknown) {
    return { failed: true, away: error instanceof Error && notLoaded.test(error.message) };
  }

  override render() {
    if (!this.state.failed) return this.props.children;
    return <Failed notLoaded={this.state.away} />;
  }
}

function Failed({ notLoaded }: { notLoaded: boolean }) {
  const server = useStore(connection);
  // A server that is there and has no such file has another version than this page.
  const said = server === 'up' ? newVersion : errorStrings.unreachable;
  const { title, detail } = notLoaded ? said : texts;
  return (
    <div className="center" role="alert">
      <EmptyState icon="alert" title={title} detail={detail}>
        <Button look="primary" onClick={() => window.location.reload()}>
          {texts.reload}
        </Button>
      </EmptyState>
    </div>
  );
}
