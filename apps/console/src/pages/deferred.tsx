import { lazy, useState } from "react";
import type { ComponentType } from "react";
import { texts } from "../texts/index.ts";

/** Thrown if the code of a component cannot be loaded: the server is unreachable, or has another version of the console by now. */
export class CodeMissing extends Error {
  override name = "CodeMissing";
  /** Lets the component load its code when it is shown again. */
  readonly renew: () => void;
  constructor(cause: unknown, renew: () => void) {
    super(texts.problems.code, { cause });
    this.renew = renew;
  }
}

/** A component whose code is loaded when it is shown, or before. */
export interface Deferred<Props> {
  /** Shows the component at once if its code is loaded, and suspends until then otherwise. */
  readonly Shown: ComponentType<Props>;
  /** Loads the code. */
  readonly load: () => Promise<void>;
}

/**
 * Defers the code of a component. `lazy` alone would suspend for a moment even if the code has arrived, and React shows nothing new for
 * 300 ms after it has shown a fallback.
 */
export function defer<Props extends object>(load: () => Promise<ComponentType<Props>>): Deferred<Props> {
  let loaded: ComponentType<Props> | undefined;
  const remember = async (): Promise<ComponentType<Props>> => (loaded = await load());
  // React keeps the failure of a lazy component, so another attempt needs another one.
  const createLazy = () =>
    lazy(async () => {
      try {
        return { default: await remember() };
      } catch (cause) {
        throw new CodeMissing(cause, () => (Lazy = createLazy()));
      }
    });
  let Lazy = createLazy();
  return {
    Shown: function Shown(props: Props) {
      // The same component as long as it is shown, so that it keeps its state.
      const [Component] = useState((): ComponentType<Props> => loaded ?? Lazy);
      return <Component {...props} />;
    },
    async load() {
      await remember();
    },
  };
}
