import { eventually } from "@switchyard/storage/testing";
import { createRest } from "../../rest.ts";
import type { Answer, Rest } from "../../rest.ts";
import type { TestSystem } from "../../system.ts";
import { givenSystem } from "./office.ts";
import type { Where } from "./office.ts";

/** The audit trail of an organization that a test has for itself. */
export interface GivenTrail {
  system: TestSystem;
  /** The secret of a token that may do everything in the organization, and the API with it. */
  token: string;
  admin: Rest;
  /** What `/api/v1/me` says of that token. */
  me: any;
  /** The entries, newest first, that a query asks for. */
  everything(query?: string): Promise<any[]>;
  /** The same but for first uses of tokens, of which every test makes some. */
  entries(query?: string): Promise<any[]>;
  /** The entries of an action about something, once there are some. */
  sent(action: string, targetId: string): Promise<any[]>;
  remove(path: string): Promise<Answer>;
}

/** Gives each of the tests around an organization of its own, on a system that runs there. */
export function givenTrail(where: Where = "one process"): GivenTrail {
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

/** A field of an entry that was one thing and became another. */
export const change = (from: unknown, to: unknown) => ({ from, to });
