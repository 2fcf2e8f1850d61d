import { Center, Loader } from "@mantine/core";
import { AuthenticationError } from "@switchyard/client";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import type { ReactNode } from "react";
import type { CallLog } from "../api/call-log.ts";
import { connect } from "../api/connection.ts";
import { texts } from "../texts/index.ts";
import { redeemCode } from "./redemption.ts";
import { SessionContext } from "./session.ts";
import type { Session } from "./session.ts";
import { SignIn } from "./sign-in.tsx";
import { readToken, storeToken, takeCode } from "./stored-token.ts";

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
  | { readonly kind: "signed-out"; readonly notice: string | undefined }
  | ({ readonly kind: "signed-in" } & Access);

type Access = Pick<Session, "me" | "client" | "ahead">;

/** Shows the pages to a caller with a valid token, and the sign-in to everyone else. */
export function SessionGate({ log, notice, onEnd, children }: SessionGateProps) {
  const [state, setState] = useState<State>({ kind: "checking" });

  /** Checks a token by asking what it is. Returns why it cannot be used; undefined if it can. */
  const signIn = async (token: string): Promise<string | undefined> => {
    try {
      const client = connect(token, log);
      const me = await client.getMe();
      storeToken(token);
      setState({ kind: "signed-in", me, client, ahead: (path) => connect(token, log.ahead(path)) });
      return undefined;
    } catch (error) {
      if (!(error instanceof AuthenticationError)) return error instanceof Error ? error.message : String(error);
      storeToken(undefined);
      return texts.signIn.refused;
    }
  };

  useEffect(() => {
    void findToken(notice).then(async ({ token, reason }) => {
      const problem = token === undefined ? reason : await signIn(token);
      if (token === undefined || problem !== undefined) setState({ kind: "signed-out", notice: problem });
    });
    // Once for each gate: the key of the gate changes with the session.
  }, []);

  if (state.kind === "checking")
    return (
      <Center h="100vh">
        <Loader aria-label={texts.signIn.checking} />
      </Center>
    );
  if (state.kind === "signed-out") return <SignIn notice={state.notice} onToken={signIn} />;
  return (
    <Signed access={state} onEnd={onEnd}>
      {children}
    </Signed>
  );
}

/** Finds the token of the sign-in link in the address, or else that of the tab. */
async function findToken(
  notice: string | undefined,
): Promise<{ token?: string | undefined; reason: string | undefined }> {
  const code = takeCode(location, history);
  if (code === undefined) return { token: readToken(), reason: notice };
  try {
    return { token: await redeemCode(code), reason: texts.signIn.usedLink };
  } catch {
    return { reason: texts.problems.unreachable };
  }
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
