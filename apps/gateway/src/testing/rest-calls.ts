import type { InlineDocument } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import type { TestGateway } from "./test-gateway.ts";

/** A REST response. */
export interface RestResponse {
  status: number;
  headers: Headers;
  text: string;
  /** The body, if it is JSON, and otherwise an empty object. */
  json: Record<string, unknown>;
}

/** Creates functions that call the REST API of a gateway. `getSystem` returns the gateway while a test runs. */
export function createRestCalls(getSystem: () => TestGateway) {
  return {
    /** Calls an endpoint with the token of the gateway, or another one; "" for none. */
    async call(method: string, path: string, options: RequestInit & { token?: string } = {}): Promise<RestResponse> {
      const { gateway, token: ownToken } = getSystem();
      const { token = ownToken, headers, ...rest } = options;
      const response = await fetch(`${gateway.url}${path}`, {
        method,
        ...rest,
        headers: { ...(token === "" ? {} : { authorization: `Bearer ${token}` }), ...headers },
      });
      const text = await response.text();
      const isJson = text !== "" && /[/+]json/.test(response.headers.get("content-type") ?? "");
      return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : {} };
    },

    /** Creates the options of a call with a JSON body. */
    json: (body: unknown, token?: string) => ({
      body: typeof body === "string" ? body : JSON.stringify(body),
      headers: { "content-type": "application/json" },
      ...(token === undefined ? {} : { token }),
    }),

    /** Returns the inline document of the last classification. */
    lastContent(): InlineDocument | undefined {
      const document = getSystem().classified.at(-1)?.document;
      return document?.case === "content" ? document.value : undefined;
    },
  };
}
