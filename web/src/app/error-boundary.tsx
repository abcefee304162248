import { Component, type ReactNode } from 'react';
import { strings } from '../strings.ts';
import { Button } from '../ui/button.tsx';
import { EmptyState } from '../ui/states.tsx';

const words = strings.shell.crashed;

/** A fault in one screen leaves the navigation standing. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override render() {
    if (!this.state.failed) return this.props.children;
    return (
      <div className="center" role="alert">
        <EmptyState icon="alert" title={words.title} detail={words.detail}>
          <Button look="primary" onClick={() => window.location.reload()}>
            {words.reload}
          </Button>
        </EmptyState>
      </div>
    );
  }
}
