import { createOffice } from "../../journeys/fixture.ts";
import type { Office } from "../../journeys/fixture.ts";
import { createRest } from "../../rest.ts";
import type { RestResponse, Rest } from "../../rest.ts";
import { getSharedSystem } from "../../shared-system/shared-system.ts";
import { startTestSystem } from "../../system.ts";
import type { SystemShape, TestSystem, TestSystemOptions } from "../../system.ts";

/** A running system, which is started before the tests of a file or suite. */
export interface GivenSystem {
  system: TestSystem;
}

/**
 * Where a suite runs: on its own system of this shape, on the system that all files of a Vitest worker share, which runs in one process, or
 * on the system of another suite.
 */
export type Where = SystemShape | "shared" | GivenSystem;

/** A running system with an office in it. */
export interface GivenOffice extends GivenSystem {
  rest: Rest;
  office: Office;
}

/**
 * Starts a system before the surrounding tests, and stops it after them. On a shared system, or on that of another suite, it creates a new
 * organization instead: starting a system and its threads takes seconds of processor time. The options are those of a system that it starts.
 */
export function givenSystem(where: Where, options: TestSystemOptions = {}): GivenSystem {
  const given = {} as GivenSystem;
  const isOwn = typeof where === "string" && where !== "shared";
  beforeAll(async () => {
    if (isOwn) given.system = await startTestSystem(where, options);
    else {
      const system = where === "shared" ? await getSharedSystem() : where.system;
      given.system = { ...system, token: await system.anotherOrganization("Acme") };
    }
  });
  if (isOwn) afterAll(() => given.system?.close());
  return given;
}

/** Creates an office before the surrounding tests. */
export function givenOffice(where: Where = "shared", options: TestSystemOptions = {}): GivenOffice {
  const given = givenSystem(where, options) as GivenOffice;
  beforeAll(async () => {
    given.rest = createRest(given.system.url, given.system.token);
    given.office = await createOffice(given.rest, "Accounts payable");
  });
  return given;
}

/** Returns the body of a response that must have this status. Throws with the text of the response if it has another. */
export async function getBody<Body = any>(response: Promise<RestResponse<Body>>, status: number): Promise<Body> {
  const given = await response;
  if (given.status !== status) throw new Error(`${given.status} instead of ${status}: ${given.text}`);
  return given.body;
}

/** Describes an error response in one line: status, code and the fields that it names. */
export async function refusal(response: Promise<RestResponse>): Promise<string> {
  const { status, body, text } = await response;
  if (status < 400) throw new Error(`not refused: ${status} ${text}`);
  return [status, body.code, ...body.errors.map((error: any) => error.field)].join(" ");
}

const isLong = process.env["SWITCHYARD_TEST_COUNTS"] === "long";

/** The number of rounds of a race: 3 in `npm test`, 200 in `npm run test:long`. */
export const rounds = isLong ? 200 : 3;

/**
 * Whether a shape runs the suites about rules and bytes that are the same code in every shape, and that no call between services changes.
 * `npm test` runs them in one process or with replicas, and `npm run test:long` in separate processes too.
 */
export const isComplete = (shape: SystemShape): boolean => isLong || shape !== "separate processes";
