import { createCircuit } from "./circuit.ts";

describe("createCircuit", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("opens after 0.8 seconds of connecting, and closes when a connection is ready or fails", () => {
    let openings = 0;
    const circuit = createCircuit(() => (openings += 1));
    for (const closing of ["ready", "failed"] as const) {
      circuit.update("connecting");
      vi.advanceTimersByTime(700);
      circuit.update("connecting");
      expect(circuit.isOpen).toBe(false);
      vi.advanceTimersByTime(100);
      expect(circuit.isOpen).toBe(true);
      circuit.update(closing);
      expect(circuit.isOpen).toBe(false);
    }
    expect(openings).toBe(2);
  });

  it("does not open if the connection is ready in time", () => {
    const circuit = createCircuit(() => undefined);
    circuit.update("connecting");
    vi.advanceTimersByTime(700);
    circuit.update("ready");
    vi.advanceTimersByTime(10_000);
    expect(circuit.isOpen).toBe(false);
  });
});
