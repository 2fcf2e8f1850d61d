import { toCalibration } from "../../domain/engines/calibration.ts";
import type { Opinion, ScoredOpinion } from "../../domain/engines/engine.ts";
import { toRecordedChoice } from "../../domain/engines/recorded-choice.ts";
import type { LabeledText } from "../../domain/learning/labeled-text.ts";
import { localEngine } from "../../domain/engines/local/local-engine.ts";
import type { ChosenEngine } from "../engines/engine-choice.ts";

/** An engine that is asked about reviewed documents once, and remembers what it said. */
export interface ReplayedEngine {
  /** Whether it is the local engine, which scores with what it learned from the other parts. Other engines are asked themselves. */
  readonly isLocal: boolean;
  /**
   * Returns the engine for a document of a part. It knows what is known from the other parts: `score` scores with what the local engine
   * learned from them, and the choices of a language model are calibrated on those that it has made about them.
   */
  about(text: LabeledText, fold: number, score?: (text: string) => Promise<ScoredOpinion>): ChosenEngine;
}

/** Creates the engine that remembers its opinions. */
export function createReplayedEngine(engine: ChosenEngine): ReplayedEngine {
  const opinions = new Map<string, Promise<Opinion>>();
  const choices: { fold: number; isRight: boolean }[] = [];
  const isLocal = engine.name === localEngine;
  return {
    isLocal,
    about: ({ id, routeId: reviewed }, fold, score) => ({
      ...engine,
      async ask(document) {
        const known = opinions.get(id);
        if (known !== undefined) return known;
        const asked = isLocal && score !== undefined ? score(document.text) : engine.ask(document);
        opinions.set(id, asked);
        const opinion = await asked;
        const choice = opinion.kind === "choice" ? toRecordedChoice(engine.name, opinion) : null;
        if (choice !== null) choices.push({ fold, isRight: choice.routeId === reviewed });
        return opinion;
      },
      calibrate: async () => toCalibration(choices.filter((each) => each.fold !== fold).map(({ isRight }) => isRight)),
    }),
  };
}
