import { type Failure, noConnection, unresponsive } from "../calls/failure.ts";
import { type ChannelState, createCircuit } from "./circuit.ts";
import { type Connection, createConnection } from "./connection.ts";
import { createResolver, type Lookup, systemLookup } from "./resolver.ts";
import { type Address, formatAddress, type Target } from "./target.ts";

/** A call that waits for a connection. */
export interface Waiter {
  /** To be called when the choice of a connection may have a different result. */
  again(): void;
  /** To be called if no connection can be established in time. */
  fail(failure: Failure): void;
}

/** The connections of a channel. */
export interface Connections {
  /** The name of the target in the headers of calls. */
  readonly authority: string;
  /**
   * Chooses a connection for a call, each in turn. Returns "connecting" if the call should wait for a connection, and the failure if no
   * server can be reached. The first call connects.
   */
  choose(): Connection | Failure | "connecting";
  wait(waiter: Waiter): void;
  stopWaiting(waiter: Waiter): void;
  /** Ends calls that wait, refuses further ones, and closes the connections when the calls in progress have ended. */
  close(): void;
}

/** A channel without calls for this time, in milliseconds, does not connect again until the next one. */
const unusedAfterMs = 30 * 60_000;

/**
 * Connects to all addresses of a target, and distributes calls over those that are connected. An address that hangs or cannot be reached
 * is left out while there are others. A name is resolved again whenever a connection is lost or an attempt fails. An open channel does not
 * keep the process alive, but a call that waits does.
 */
export function createConnections(target: Target, lookup: Lookup = systemLookup): Connections {
  let connections: readonly Connection[] = [];
  let ready: readonly Connection[] = [];
  let state: ChannelState = "idle";
  let hasIdle = true;
  let isClosed = false;
  let isResolving = false;
  let lastError: Error | undefined;
  let usedAt = 0;
  let turn = Math.floor(Math.random() * 2 ** 16);
  const waiters = new Set<Waiter>();
  let keepAlive: NodeJS.Timeout | undefined;

  const isUsed = (): boolean => waiters.size > 0 || performance.now() - usedAt < unusedAfterMs;
  const circuit = createCircuit(() => {
    for (const waiter of takeWaiters()) waiter.fail(unresponsive());
  });
  const resolver = createResolver(target, lookup, {
    found(addresses) {
      isResolving = false;
      replace(addresses);
    },
    failed(error) {
      if (connections.length > 0) return;
      isResolving = false;
      lastError = error;
      if (isUsed()) resolver.resolve();
      update();
    },
  });

  function takeWaiters(): readonly Waiter[] {
    const taken = [...waiters];
    waiters.clear();
    rest();
    return taken;
  }

  function rest(): void {
    if (waiters.size > 0) return;
    clearInterval(keepAlive);
    keepAlive = undefined;
  }

  /** Connects to new addresses, and leaves those that the target no longer has. */
  function replace(addresses: readonly Address[]): void {
    const known = new Map(connections.map((each) => [formatAddress(each.address), each]));
    const wanted = new Map(addresses.map((each) => [formatAddress(each), each]));
    const added: Connection[] = [];
    const next = [...wanted].map(([name, address]) => {
      const kept = known.get(name);
      if (kept !== undefined) return kept;
      const connection = createConnection(address, { changed: update, lost: () => resolver.resolve(), isUsed });
      added.push(connection);
      return connection;
    });
    const left = connections.filter((each) => !wanted.has(formatAddress(each.address)));
    connections = next;
    for (const each of added) each.connect();
    for (const each of left) each.close();
    update();
  }

  function update(): void {
    if (isClosed) return;
    ready = connections.filter((each) => each.state === "ready");
    hasIdle = connections.length === 0 ? !isResolving : connections.some((each) => each.state === "idle");
    const has = (wanted: ChannelState): boolean => connections.some((each) => each.state === wanted);
    if (ready.length > 0) state = "ready";
    else if (isResolving || has("connecting")) state = "connecting";
    else if (has("failed") || (connections.length === 0 && lastError !== undefined)) state = "failed";
    else state = "idle";
    if (state === "failed") lastError = connections.find((each) => each.state === "failed")?.error ?? lastError;
    circuit.update(state);
    if (state !== "connecting") for (const waiter of takeWaiters()) waiter.again();
  }

  /** Connects to what is idle. */
  function connect(): void {
    if (connections.length === 0) {
      isResolving = state !== "failed";
      resolver.resolve();
      update();
    } else for (const each of connections) each.connect();
  }

  const named = "name" in target ? { host: target.name, port: target.port } : target.addresses[0];
  return {
    authority: named === undefined ? "" : formatAddress(named),
    choose() {
      if (isClosed) return noConnection(new Error("The channel was closed."), { isFinal: true });
      usedAt = performance.now();
      if (hasIdle) connect();
      if (circuit.isOpen) return unresponsive();
      if (state === "failed") return noConnection(lastError);
      if (ready.length === 0) return "connecting";
      turn = (turn + 1) % ready.length;
      return ready[turn] ?? "connecting";
    },
    wait(waiter) {
      waiters.add(waiter);
      keepAlive ??= setInterval(() => undefined, 2 ** 30);
    },
    stopWaiting(waiter) {
      if (waiters.delete(waiter)) rest();
    },
    close() {
      isClosed = true;
      resolver.stop();
      for (const each of connections) each.close();
      for (const waiter of takeWaiters()) waiter.again();
    },
  };
}
