import { eventually } from "@switchyard/storage/testing";
import { createRest } from "../../rest.ts";
import type { RestResponse, Rest } from "../../rest.ts";
import type { TestSystem } from "../../system.ts";
import { givenSystem } from "./office.ts";
import type { Where } from "./office.ts";

/** The audit trail of an organization that only one test uses. */
export interface GivenTrail {
  system: TestSystem;
  /** The secret of a token with every permission in the organization, and the API with it. */
  token: string;
  admin: Rest;
  /** The response of `/api/v1/me` for that token. */
  me: any;
  /** Returns the entries that match a query, newest first. */
  everything(query?: string): Promise<any[]>;
  /** Returns the same without first uses of tokens, which every test causes. */
  entries(query?: string): Promise<any[]>;
  /** Waits for entries of an action on a target, and returns them. */
  sent(action: string, targetId: string): Promise<any[]>;
  remove(path: string): Promise<RestResponse>;
}

/** Gives each of the surrounding tests its own organization. */
export function givenTrail(where: Where = "shared"): GivenTrail {
  const running = givenSystem(where);
  const everything = async (query = ""): Promise<any[]> => (await given.admin.get(`/api/v1/audit${query}`)).body.data;
  const given = {
    everything,
    entries: async (query) => (await everything(query)).filter(({ action }) => action !== "token.firstUse"),
    sent: (action, targetId) =>
      eventually(`${action} of ${targetId}`, async () => {
        const found = await everything(`?action=${action}&targetId=${targetId}`);
        return found.length > 0 ? found : undefined;
      }),
    remove: (path) => given.admin.send(path, { method: "DELETE" }),
  } as GivenTrail;
  beforeEach(async () => {
    given.system = running.system;
    given.token = await given.system.anotherOrganization("Acme");
    given.admin = createRest(given.system.url, given.token);
    given.me = (await given.admin.get("/api/v1/me")).body;
  });
  return given;
}

/** Returns a changed field of an entry. */
export const change = (from: unknown, to: unknown) => ({ from, to });
