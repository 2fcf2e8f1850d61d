import { invalid } from "@switchyard/rpc";
import type { Exchange } from "../http/exchange.ts";
import { respondToOptions, sendFixedFile } from "../http/fixed-document.ts";
import { chooseMediaType } from "../http/negotiation.ts";
import { readBody } from "../http/request-body.ts";
import { sendResponse } from "../http/responses.ts";
import type { Console } from "./console.ts";
import { signInRefused } from "./sign-in.ts";
import type { SignInLinks } from "./sign-in.ts";

/** The console as the gateway serves it. */
export interface ServedConsole {
  readonly files: Console;
  /** The links that sign in without a token; undefined if there are none. */
  readonly signIn: Pick<SignInLinks, "redeem"> | undefined;
}

/** The path to which the page sends the code of a sign-in link. */
const signInPath = "/console/sign-in";
const maxCodeBytes = 1_024;

/** Responds to a request for the console, and returns the status; undefined if the path does not belong to it. */
export async function serveConsole(exchange: Exchange, { files, signIn }: ServedConsole): Promise<number | undefined> {
  if (exchange.path === signInPath) return redeem(exchange, signIn);
  const found = await files.find(exchange.path);
  if (found === undefined) return undefined;
  if (found.kind === "asset") return sendFixedFile(exchange, found.file);
  if (await respondToOptions(exchange)) return 204;
  const type = `${chooseMediaType(exchange, ["text/html"])}; charset=utf-8`;
  return sendResponse(exchange, 200, { ...found.headers, "content-type": type }, found.html);
}

async function redeem(exchange: Exchange, signIn: ServedConsole["signIn"]): Promise<number> {
  if (await respondToOptions(exchange, ["POST"])) return 204;
  const code = parseCode(await readBody(exchange, maxCodeBytes));
  const token = await signIn?.redeem(code);
  if (token === undefined) throw signInRefused();
  return sendResponse(exchange, 200, { "content-type": "application/json" }, JSON.stringify({ token }));
}

function parseCode(bytes: Uint8Array): string {
  try {
    const { code } = JSON.parse(Buffer.from(bytes).toString("utf8")) as { code?: unknown };
    if (typeof code === "string") return code;
  } catch {
    // The error is the same for a body that is not JSON.
  }
  throw invalid([{ field: "code", message: "must be the code of a sign-in link" }]);
}
