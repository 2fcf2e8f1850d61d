import { Center, Loader } from "@mantine/core";
import { AuthenticationError } from "@switchyard/client";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import type { ReactNode } from "react";
import type { CallLog } from "../api/call-log.ts";
import { connect } from "../api/connection.ts";
import { texts } from "../texts/index.ts";
import { isTemporary } from "../api/queries.ts";
import { redeemCode } from "./redemption.ts";
import { SessionContext } from "./session.ts";
import type { Session } from "./session.ts";
import { SignIn } from "./sign-in.tsx";
import { readToken, storeToken, takeCode } from "./stored-token.ts";
import { Unavailable } from "./unavailable.tsx";

/** What the gate needs. */
export interface SessionGateProps {
  readonly log: CallLog;
  /** Why the session before this one ended. */
  readonly notice: string | undefined;
  /** Called when the session has ended. */
  readonly onEnd: (notice?: string) => void;
  readonly children: ReactNode;
}

type State =
  | { readonly kind: "checking" }
  /** It is not known whether the token is valid, so it is kept. */
  | { readonly kind: "unavailable"; readonly error: unknown; readonly retry: () => void }
  | { readonly kind: "signed-out"; readonly notice: string | undefined }
  | ({ readonly kind: "signed-in" } & Access);

type Access = Pick<Session, "me" | "client" | "ahead">;

/** Shows the pages to a caller with a valid token, and the sign-in to everyone else. */
export function SessionGate({ log, notice, onEnd, children }: SessionGateProps) {
  const [state, setState] = useState<State>({ kind: "checking" });

  /** Checks a token by asking what it is. */
  const check = async (token: string): Promise<void> => {
    const client = connect(token, log);
    const me = await client.getMe();
    storeToken(token);
    setState({ kind: "signed-in", me, client, ahead: (path) => connect(token, log.ahead(path)) });
  };

  /** Signs in with a token. Returns why it cannot be used; undefined if it can. */
  const signIn = async (token: string): Promise<string | undefined> => {
    try {
      await check(token);
      return undefined;
    } catch (error) {
      return refuse(error);
    }
  };

  /** Signs in with the code of a sign-in link, or else with the token of the tab. */
  const begin = async (code: string | undefined): Promise<void> => {
    let unused = code;
    try {
      const token = unused === undefined ? readToken() : await redeemCode(unused);
      // A code is valid once, so the token is kept whatever happens to the next call.
      if (unused !== undefined && token !== undefined) storeToken(token);
      const reason = unused === undefined ? notice : texts.signIn.usedLink;
      unused = undefined;
      if (token === undefined) setState({ kind: "signed-out", notice: reason });
      else await check(token);
    } catch (error) {
      if (isTemporary(error)) setState({ kind: "unavailable", error, retry: () => void begin(unused) });
      else setState({ kind: "signed-out", notice: refuse(error) });
    }
  };

  useEffect(() => {
    void begin(takeCode(location, history));
    // Once for each gate: the key of the gate changes with the session.
  }, []);

  if (state.kind === "checking")
    return (
      <Center h="100vh">
        <Loader aria-label={texts.signIn.checking} />
      </Center>
    );
  if (state.kind === "unavailable") return <Unavailable error={state.error} retry={state.retry} />;
  if (state.kind === "signed-out") return <SignIn notice={state.notice} onToken={signIn} />;
  return (
    <Signed access={state} onEnd={onEnd}>
      {children}
    </Signed>
  );
}

/** Returns why a token cannot be used. One that the server does not accept is forgotten. */
function refuse(error: unknown): string {
  if (!(error instanceof AuthenticationError)) return error instanceof Error ? error.message : String(error);
  storeToken(undefined);
  return texts.signIn.refused;
}

function Signed({
  access: { me, client, ahead },
  onEnd,
  children,
}: { access: Access } & Omit<SessionGateProps, "log" | "notice">) {
  const queries = useQueryClient();
  const session = useMemo<Session>(
    () => ({
      me,
      client,
      ahead,
      end(notice) {
        storeToken(undefined);
        onEnd(notice);
      },
    }),
    [me, client, ahead, onEnd],
  );
  // Whichever call learns that the token is no longer accepted ends the session.
  useEffect(
    () =>
      queries.getQueryCache().subscribe((event) => {
        if (event.type === "updated" && event.query.state.error instanceof AuthenticationError)
          session.end(texts.signIn.ended);
      }),
    [queries, session],
  );
  useEffect(
    () =>
      queries.getMutationCache().subscribe((event) => {
        if (event.mutation?.state.error instanceof AuthenticationError) session.end(texts.signIn.ended);
      }),
    [queries, session],
  );
  return <SessionContext.Provider value={session}>{children}</SessionContext.Provider>;
}
