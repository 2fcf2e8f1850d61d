import { Center, Loader } from "@mantine/core";
import { AuthenticationError } from "@switchyard/client";
import { useQueryClient } from "@tanstack/react-query";
import type { MutationCacheNotifyEvent, QueryCacheNotifyEvent } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import type { ReactNode } from "react";
import type { CallLog } from "../api/call-log.ts";
import { connect } from "../api/connection.ts";
import { createUnsaved, UnsavedContext } from "../controls/unsaved.ts";
import { texts } from "../texts/index.ts";
import { isTemporary } from "../api/queries.ts";
import { redeemCode } from "./redemption.ts";
import { Renewal } from "./renewal.tsx";
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
  /** Called when a token is about to be checked, which takes a request. */
  readonly onCheck: () => void;
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
export function SessionGate({ log, notice, onCheck, onEnd, children }: SessionGateProps) {
  const [state, setState] = useState<State>({ kind: "checking" });

  const check = async (token: string): Promise<void> => {
    onCheck();
    const access = await getAccess(token, log);
    storeToken(token);
    setState({ kind: "signed-in", ...access });
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
    <Signed access={state} log={log} onEnd={onEnd}>
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

/** Checks a token by asking what it is. */
async function getAccess(token: string, log: CallLog): Promise<Access> {
  const client = connect(token, log);
  return { me: await client.getMe(), client, ahead: (path) => connect(token, log.ahead(path)) };
}

function Signed({ access, log, onEnd, children }: { access: Access } & Omit<SessionGateProps, "notice" | "onCheck">) {
  const queries = useQueryClient();
  const [unsaved] = useState(createUnsaved);
  const [{ me, client, ahead }, setAccess] = useState(access);
  const [isExpired, setExpired] = useState(false);
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
  // Whichever call learns that the token is no longer accepted ends the session, unless something that was entered would be lost with it.
  const expire = (): void => {
    if (!unsaved.isHolding()) return session.end(texts.signIn.ended);
    storeToken(undefined);
    setExpired(true);
  };
  useEffect(() => {
    // A call that is made again keeps its failure until it has succeeded.
    const learn = (event: QueryCacheNotifyEvent | MutationCacheNotifyEvent): void => {
      if (event.type !== "updated" || event.action.type !== "error") return;
      if (event.action.error instanceof AuthenticationError) expire();
    };
    const leave = [queries.getQueryCache().subscribe(learn), queries.getMutationCache().subscribe(learn)];
    return () => {
      for (const stop of leave) stop();
    };
  }, [queries, session]);
  // What the token before could not request any more, after everything on the page has the client of the new one.
  useEffect(() => {
    if (client !== access.client) void queries.invalidateQueries();
  }, [client, access, queries]);
  /** Continues with another token of the same user. Returns why it cannot be used; undefined if it can. */
  const proceed = async (token: string): Promise<string | undefined> => {
    try {
      const next = await getAccess(token, log);
      if (next.me.user?.id !== me.user?.id || next.me.organization?.id !== me.organization?.id)
        return texts.signIn.otherUser;
      storeToken(token);
      setAccess(next);
      setExpired(false);
      return undefined;
    } catch (error) {
      return refuse(error);
    }
  };
  return (
    <SessionContext.Provider value={session}>
      <UnsavedContext.Provider value={unsaved}>
        {children}
        {isExpired && <Renewal onToken={proceed} onEnd={() => session.end()} />}
      </UnsavedContext.Provider>
    </SessionContext.Provider>
  );
}
