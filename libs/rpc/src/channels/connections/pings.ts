/** Checks that a peer responds while there are calls to it. */
export interface Pings {
  /** To be called when a call begins. */
  callBegan(): void;
  stop(): void;
}

/** The interval of the pings on a connection with calls. */
const pingIntervalMs = 1_000;

/** How long a ping may remain unacknowledged. Pings are acknowledged while calls are in progress. */
const pingTimeoutMs = 2_500;

/**
 * Creates the pings of a connection. While `isBusy`, a ping is sent every second; after a pause, the next call sends one at once, because the
 * connection may have been lost unnoticed. `ping` sends one and calls its argument when it is acknowledged; if that takes more than 2.5
 * seconds, `fail` is called. The timers do not keep the process alive.
 */
export function createPings(options: {
  isBusy: () => boolean;
  ping: (acknowledged: () => void) => void;
  fail: () => void;
}): Pings {
  /** Runs until the next ping is due, or until the one that was sent has timed out. */
  let timer: NodeJS.Timeout | undefined;
  let isOverdue = false;
  let isStopped = false;

  function callBegan(): void {
    if (timer !== undefined || isStopped) return;
    if (isOverdue) send();
    else timer = setTimeout(onDue, pingIntervalMs).unref();
  }

  function onDue(): void {
    timer = undefined;
    if (options.isBusy()) send();
    else isOverdue = true;
  }

  function send(): void {
    isOverdue = false;
    // In two steps, so that an acknowledgement that arrived while this process was busy is noticed in between.
    const half = pingTimeoutMs / 2;
    timer = setTimeout(() => (timer = setTimeout(options.fail, half).unref()), half).unref();
    options.ping(() => {
      clearTimeout(timer);
      timer = undefined;
      // Even without calls, because the first one after a pause has to be checked at once.
      if (!isStopped) timer = setTimeout(onDue, pingIntervalMs).unref();
    });
  }

  return {
    callBegan,
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
