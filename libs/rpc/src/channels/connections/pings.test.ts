import { createPings } from "./pings.ts";

describe("createPings", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  function create() {
    const state = { isBusy: true, failures: 0 };
    const sent: (() => void)[] = [];
    const pings = createPings({
      isBusy: () => state.isBusy,
      ping: (acknowledged) => void sent.push(acknowledged),
      fail: () => (state.failures += 1),
    });
    return { pings, sent, state };
  }

  it("pings every second while there are calls", () => {
    const { pings, sent, state } = create();
    for (let call = 0; call < 3; call++) pings.callBegan();
    vi.advanceTimersByTime(999);
    expect(sent).toHaveLength(0);
    for (let count = 1; count <= 3; count++) {
      vi.advanceTimersByTime(1_000);
      expect(sent).toHaveLength(count);
      sent.at(-1)?.();
    }
    state.isBusy = false;
    vi.advanceTimersByTime(60_000);
    expect(sent).toHaveLength(3);
    expect(state.failures).toBe(0);
  });

  it("pings at once if a call begins after a pause", () => {
    const { pings, sent, state } = create();
    pings.callBegan();
    state.isBusy = false;
    vi.advanceTimersByTime(60_000);
    expect(sent).toHaveLength(0);
    state.isBusy = true;
    pings.callBegan();
    expect(sent).toHaveLength(1);
  });

  it("pings at once if a call begins after a pause that began during a ping", () => {
    const { pings, sent, state } = create();
    pings.callBegan();
    vi.advanceTimersByTime(1_000);
    state.isBusy = false;
    sent[0]?.();
    vi.advanceTimersByTime(60_000);
    expect(sent).toHaveLength(1);
    state.isBusy = true;
    pings.callBegan();
    expect(sent).toHaveLength(2);
  });

  it("fails once if a ping is not acknowledged within 2.5 seconds", () => {
    const { pings, sent, state } = create();
    pings.callBegan();
    vi.advanceTimersByTime(3_499);
    expect(state.failures).toBe(0);
    vi.advanceTimersByTime(1);
    expect(state.failures).toBe(1);
    vi.advanceTimersByTime(60_000);
    expect([sent.length, state.failures]).toEqual([1, 1]);
  });

  it("does neither after it was stopped", () => {
    const { pings, sent, state } = create();
    pings.callBegan();
    pings.stop();
    pings.callBegan();
    vi.advanceTimersByTime(60_000);
    expect([sent.length, state.failures]).toEqual([0, 0]);
  });
});
