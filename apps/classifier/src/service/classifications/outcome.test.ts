import { ClassificationStatus } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { route } from "../../testing/documents.ts";
import { toOutcome } from "./outcome.ts";

const measures = { confidence: 0.9, threshold: 0.45, margin: 1 };

describe("the outcome of a decision", () => {
  it("names the route and its target", () => {
    const invoices = route("mdl_invoice");
    expect(toOutcome({ status: "CLASSIFIED", routeId: invoices.id, ...measures }, invoices, undefined)).toMatchObject({
      status: ClassificationStatus.CLASSIFIED,
      routeId: invoices.id,
      modelId: "mdl_invoice",
    });
  });

  it("throws if the chosen route is unknown", () => {
    const decision = { status: "CLASSIFIED", routeId: "rte_gone", ...measures } as const;
    expect(() => toOutcome(decision, undefined, undefined)).toThrow("rte_gone");
  });
});
