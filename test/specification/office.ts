import { createOffice } from "../journeys/fixture.ts";
import type { Office } from "../journeys/fixture.ts";
import { createRest } from "../rest.ts";
import type { Answer, Rest } from "../rest.ts";
import { startTestSystem } from "../system.ts";
import type { SystemShape, TestSystem } from "../system.ts";

/** A running system with an office in it, filled before the tests of a file begin. */
export interface GivenOffice {
  system: TestSystem;
  rest: Rest;
  office: Office;
}

/** Starts a system with an office before the tests around, and stops it after them. */
export function givenOffice(shape: SystemShape = "one process"): GivenOffice {
  const given = {} as GivenOffice;
  beforeAll(async () => {
    given.system = await startTestSystem(shape);
    given.rest = createRest(given.system.url, given.system.token);
    given.office = await createOffice(given.rest, "Accounts payable");
  }, 120_000);
  afterAll(() => given.system?.close());
  return given;
}

/** The body of an answer that must have this status; fails with the answer's text where it has another. */
export async function bodyOf<Body = any>(answer: Promise<Answer<Body>>, status: number): Promise<Body> {
  const given = await answer;
  if (given.status !== status) throw new Error(`${given.status} instead of ${status}: ${given.text}`);
  return given.body;
}

/** A refusal in one line: status, code and the fields that it names. */
export async function refusal(answer: Promise<Answer>): Promise<string> {
  const { status, body, text } = await answer;
  if (status < 400) throw new Error(`not refused: ${status} ${text}`);
  return [status, body.code, ...body.errors.map((error: any) => error.field)].join(" ");
}

/** How often a race is run: 20 rounds in `npm test`, 200 in `npm run test:long`. */
export const rounds = process.env["SWITCHYARD_TEST_COUNTS"] === "long" ? 200 : 20;
