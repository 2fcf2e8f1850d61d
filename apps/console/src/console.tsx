import { MantineProvider } from "@mantine/core";
import { QueryClientProvider } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { createCallLog } from "./api/call-log.ts";
import { createQueries } from "./api/query-client.ts";
import { SessionGate } from "./session/session-gate.tsx";
import { loadPageAt } from "./shell/preloading.ts";
import { Shell } from "./shell/shell.tsx";
import { cssVariables, theme } from "./theme.ts";

/** The console: the pages, behind the sign-in. */
export function Console() {
  const [log] = useState(createCallLog);
  const [notice, setNotice] = useState<string | undefined>(undefined);
  // A new session begins with nothing of the one before.
  const [generation, setGeneration] = useState(0);
  const queries = useMemo(() => createQueries(generation), [generation]);
  const begin = (reason?: string): void => {
    setNotice(reason);
    setGeneration((count) => count + 1);
  };
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      getStyleNonce={getNonce}
    >
      <QueryClientProvider client={queries}>
        <SessionGate
          key={generation}
          log={log}
          notice={notice}
          onCheck={() => loadPageAt(location.pathname)}
          onEnd={begin}
        >
          <Shell log={log} />
        </SessionGate>
      </QueryClientProvider>
    </MantineProvider>
  );
}

/** The server allows style elements with this value only. */
export function getNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? "";
}
