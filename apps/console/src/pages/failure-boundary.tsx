import { Component } from "react";
import type { ReactNode } from "react";
import { Problem } from "../api/problem.tsx";
import { CodeMissing } from "./deferred.tsx";

/** What the boundary needs. */
export interface FailureBoundaryProps {
  /** The place in the console. The failure is forgotten when it changes. */
  readonly place: string;
  readonly children: ReactNode;
}

interface State {
  readonly failure: { readonly error: unknown; readonly place: string } | undefined;
}

/**
 * Shows why a part of the console cannot be shown, with a button to try again. Without it, React would remove the whole console. Only a class
 * can do this.
 */
export class FailureBoundary extends Component<FailureBoundaryProps, State> {
  override state: State = { failure: undefined };

  override componentDidCatch(error: unknown): void {
    this.setState({ failure: { error, place: this.props.place } });
  }

  override render(): ReactNode {
    const { failure } = this.state;
    if (failure === undefined || failure.place !== this.props.place) return this.props.children;
    const retry = (): void => {
      if (failure.error instanceof CodeMissing) failure.error.renew();
      this.setState({ failure: undefined });
    };
    return <Problem error={failure.error} retry={retry} />;
  }
}
