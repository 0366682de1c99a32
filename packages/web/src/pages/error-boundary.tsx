import { Component } from 'react';
import type { ReactNode } from 'react';
import { Sheet } from './sheet.tsx';
import { Button } from '../ui/button.tsx';

/** A fault in drawing would otherwise leave a white page and nothing to do about it. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override render() {
    if (!this.state.failed) return this.props.children;
    return (
      <Sheet title="Something broke on this page">
        <p className="mt-2 mb-6 text-ink-2">Nothing you sent is lost. Loading it again usually helps.</p>
        <Button look="primary" onClick={() => location.reload()} className="w-full">
          Load again
        </Button>
      </Sheet>
    );
  }
}
