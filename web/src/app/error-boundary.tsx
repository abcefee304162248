import { Component, type ReactNode } from 'react';
import { strings } from '../strings.ts';
import { Button } from '../ui/button.tsx';
import { EmptyState } from '../ui/states.tsx';

const texts = strings.shell.crashed;

/** When one screen crashes, the navigation stays. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override render() {
    if (!this.state.failed) return this.props.children;
    return (
      <div className="center" role="alert">
        <EmptyState icon="alert" title={texts.title} detail={texts.detail}>
          <Button look="primary" onClick={() => window.location.reload()}>
            {texts.reload}
          </Button>
        </EmptyState>
      </div>
    );
  }
}
