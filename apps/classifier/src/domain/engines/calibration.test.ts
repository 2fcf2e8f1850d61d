import { countKnown, getConfidence, toCalibration, UNCALIBRATED } from "./calibration.ts";
import { toRecordedChoice, toReviewedChoices } from "./recorded-choice.ts";
import { toScoring } from "./scoring.ts";
import type { ChoiceOpinion } from "./engine.ts";

const choices = (total: number, right: number) => Array.from({ length: total }, (_, index) => index < right);

describe("the confidence in a choice", () => {
  it("is 0.5 as long as fewer than 20 choices were reviewed", () => {
    expect(getConfidence(UNCALIBRATED, true)).toBe(0.5);
    expect(getConfidence(toCalibration(choices(19, 19)), true)).toBe(0.5);
    expect(countKnown(toCalibration(choices(19, 19)))).toBe(0);
  });

  it("follows from the reviewed choices", () => {
    const known = toCalibration(choices(20, 20));
    expect(countKnown(known)).toBe(20);
    expect(getConfidence(known, true)).toBe(0.9545);
    expect(getConfidence(toCalibration(choices(30, 0)), true)).toBe(0.0313);
  });

  it("is 0 without a passage from the document, whatever was reviewed", () => {
    for (const known of [UNCALIBRATED, toCalibration(choices(1_000, 1_000))])
      expect(getConfidence(known, false)).toBe(0);
  });
});

describe("the scores of a choice", () => {
  const routes = ["rte_1", "rte_2"].map((id) => ({ id, name: id, description: "", columnNames: [] }));
  const usage = { inputTokens: 1, outputTokens: 1, cost: null };
  const opinion: ChoiceOpinion = {
    ...{
      kind: "choice",
      routeId: "rte_2",
      quotes: ["Total", "Due"],
      reason: "",
      modelName: "large",
      version: "1",
      usage,
    },
  };

  it("are the confidence for the chosen route and 0 for all others", () => {
    const { scores, ...engine } = toScoring(opinion, UNCALIBRATED, routes);
    expect(engine).toEqual({ version: "1", learnedFrom: 0 });
    expect(scores).toEqual([
      { routeId: "rte_1", score: 0, evidence: [] },
      {
        routeId: "rte_2",
        score: 0.5,
        evidence: [
          { term: "Total", weight: 0.25 },
          { term: "Due", weight: 0.25 },
        ],
      },
    ]);
    expect(toScoring({ ...opinion, routeId: null }, UNCALIBRATED, routes).scores.map(({ score }) => score)).toEqual([
      0, 0,
    ]);
  });

  it("are all 0 without a passage from the document, and the choice is not recorded", () => {
    const unfounded = { ...opinion, quotes: [] };
    const calibration = toCalibration(choices(1_000, 1_000));
    expect(toScoring(unfounded, calibration, routes).scores).toEqual(
      routes.map(({ id }) => ({ routeId: id, score: 0, evidence: [] })),
    );
    expect(toRecordedChoice("cloud", unfounded)).toBeNull();
    expect(toRecordedChoice("cloud", opinion)).toMatchObject({ engine: "cloud", routeId: "rte_2" });
  });

  it("have a version that changes with every reviewed choice", () => {
    const version = (right: number) => toScoring(opinion, toCalibration(choices(20, right)), routes);
    expect(version(19)).toMatchObject({ version: "1+19of20", learnedFrom: 20 });
    expect(version(18).version).toBe("1+18of20");
  });
});

describe("reviewed choices", () => {
  it("are those of the same engine, model and version", () => {
    const engine = { engine: "cloud", modelName: "large", version: "1" };
    const choice = { ...engine, routeId: "rte_1" };
    const others = [{ engine: "other" }, { modelName: "small" }, { version: "0" }].map((part) => ({
      ...choice,
      ...part,
    }));
    expect(toReviewedChoices([choice, ...others], "rte_1", engine)).toEqual([true]);
    expect(toReviewedChoices([choice], null, engine)).toEqual([false]);
  });
});
