import { ClassificationStatus } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { route } from "../../testing/documents.ts";
import { outcome } from "./outcome.ts";

const measures = { confidence: 0.9, threshold: 0.45, margin: 1 };

describe("the outcome of a decision", () => {
  it("names the route and where it leads", () => {
    const invoices = route("mdl_invoice");
    expect(outcome({ status: "CLASSIFIED", routeId: invoices.id, ...measures }, invoices, undefined)).toMatchObject({
      status: ClassificationStatus.CLASSIFIED,
      routeId: invoices.id,
      modelId: "mdl_invoice",
    });
  });

  it("is never a reason that nobody decided on", () => {
    const decision = { status: "CLASSIFIED", routeId: "rte_gone", ...measures } as const;
    expect(() => outcome(decision, undefined, undefined)).toThrow("rte_gone");
  });
});
