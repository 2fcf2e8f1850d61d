import { unavailable } from "@switchyard/rpc";

/** Events that wait until a reader takes them. Their number is limited. */
export interface EventQueue<Event> {
  /** Adds an event. If the maximum number is waiting already, all events are lost, and the queue fails with Unavailable (EVENTS_MISSED). */
  push(event: Event): void;
  /** Ends the queue, with an error unless it is undefined. Events that are waiting can still be taken. */
  end(error?: Error): void;
  /** Takes all events, and waits if there are none. Returns an empty list after the end, or throws the error of the queue. */
  take(): Promise<readonly Event[]>;
}

/** Creates a queue for at most `limit` events. */
export function createEventQueue<Event>(limit: number): EventQueue<Event> {
  let events: Event[] = [];
  let ended: { readonly error: Error | undefined } | undefined;
  let wake = (): void => undefined;

  function end(error?: Error): void {
    ended ??= { error };
    wake();
  }

  return {
    end,
    push(event) {
      if (ended !== undefined) return;
      if (events.length < limit) {
        events.push(event);
        wake();
        return;
      }
      events = [];
      end(unavailable("EVENTS_MISSED", "Events were read too slowly and are lost. Open the stream again."));
    },
    async take() {
      if (events.length === 0 && ended === undefined) await new Promise<void>((resolve) => (wake = resolve));
      const taken = events;
      events = [];
      if (taken.length === 0 && ended?.error !== undefined) throw ended.error;
      return taken;
    },
  };
}
