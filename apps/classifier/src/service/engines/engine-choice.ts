import type { HandlerContext } from "@connectrpc/connect";
import type { Engines } from "@switchyard/engines";
import type { Calibration } from "../../domain/engines/calibration.ts";
import type { AskedDocument, ChoiceOpinion, ClassificationEngine, Opinion } from "../../domain/engines/engine.ts";
import { furtherEngines, isBuiltIn } from "../../domain/engines/engines.ts";
import { createLanguageModelEngine } from "../../domain/engines/language-model/language-model-engine.ts";
import { PROMPT_VERSION } from "../../domain/engines/language-model/prompt.ts";
import { createLocalEngine, localEngine } from "../../domain/engines/local/local-engine.ts";
import type { ClassifierConfiguration } from "../../store/classifier-document.ts";
import { engineVersion } from "../classifications/scorers.ts";
import type { Scorers } from "../classifications/scorers.ts";
import type { Targets } from "../routes/targets.ts";
import type { Calibrations } from "./calibrations.ts";
import type { WaitingLimit } from "./waiting-limit.ts";

/** An engine that is asked about the documents of a classifier. */
export interface ChosenEngine {
  readonly name: string;
  /** The language model that is asked; null for an engine of the program, or if the operator has removed the engine. */
  readonly modelName: string | null;
  /** The version of the engine while it has learned nothing. */
  readonly version: string;
  /** Asks the engine. Rejects with an `EngineFailure` if a language model gives no answer. */
  ask(document: AskedDocument): Promise<Opinion>;
  /** Returns how often such choices were right. */
  calibrate(opinion: ChoiceOpinion): Promise<Calibration>;
}

/** The engines of a classifier: the one that decides, and the one that is asked where that leaves a document without a route. */
export interface ClassifierEngines {
  readonly first: ChosenEngine;
  readonly second: ChosenEngine | null;
}

/** Chooses the engines that the settings of a classifier name. */
export interface EngineChoice {
  /** `context` is the call that the engines are asked for: they end with it. */
  open(classifier: ClassifierConfiguration, targets: Targets, context: HandlerContext): ClassifierEngines;
  /** Throws an `EngineFailure` if the engine that decides is a language model, and too many documents are waiting for it already. */
  admit(classifier: ClassifierConfiguration): void;
}

/** What the engines need. */
export interface EngineChoiceDependencies {
  readonly scorers: Pick<Scorers, "score">;
  readonly engines: Engines;
  readonly calibrations: Calibrations;
  readonly waitingLimit: WaitingLimit;
}

/** The time of a call that is left for storing the record after an engine has answered. */
const reserveMs = 3_000;

/** Creates the choice of engines. The answers of language models are those at temperature 0, which are cached. */
export function createEngineChoice({
  scorers,
  engines,
  calibrations,
  waitingLimit,
}: EngineChoiceDependencies): EngineChoice {
  function createLocal(classifier: ClassifierConfiguration, targets: Targets): ChosenEngine {
    const engine = createLocalEngine((text, explain) => scorers.score(classifier, targets, text, explain));
    return toChosen({ name: localEngine, modelName: null, version: engineVersion }, engine, classifier);
  }

  function createModel(
    { engine: name, modelName }: { readonly engine: string; readonly modelName: string | null },
    classifier: ClassifierConfiguration,
    context: HandlerContext,
  ): ChosenEngine {
    const { organizationId } = classifier;
    const described = engines.find(organizationId, name);
    const engine = createLanguageModelEngine((question, accept) =>
      waitingLimit.enter(name, async () => {
        const call = { organizationId, engine: name, modelName, temperature: 0, question, accept };
        const timeoutMs = getTimeoutMs((described?.timeoutSeconds ?? 30) * 1_000, context.timeoutMs());
        const { answer, usage, ...given } = await engines.ask({ ...call, timeoutMs, signal: context.signal });
        const { inputTokens, outputTokens, cost } = usage;
        return { answer, modelName: given.modelName, usage: { inputTokens, outputTokens, cost } };
      }),
    );
    const model = modelName ?? described?.models[0] ?? null;
    return toChosen({ name, modelName: model, version: PROMPT_VERSION }, engine, classifier);
  }

  function toChosen(
    named: Pick<ChosenEngine, "name" | "modelName" | "version">,
    engine: ClassificationEngine,
    { _id }: ClassifierConfiguration,
  ): ChosenEngine {
    return {
      ...named,
      ask: (document) => engine.ask(document),
      calibrate: ({ modelName, version }) => calibrations.find(_id, { engine: named.name, modelName, version }),
    };
  }

  return {
    admit({ settings: { engine } }) {
      if (!isBuiltIn(engine)) waitingLimit.check(engine);
    },

    open(classifier, targets, context) {
      const { engine, modelName, secondOpinion } = classifier.settings;
      const create = (chosen: { readonly engine: string; readonly modelName: string | null }): ChosenEngine => {
        if (chosen.engine === localEngine) return createLocal(classifier, targets);
        const further = furtherEngines.get(chosen.engine);
        if (further === undefined) return createModel(chosen, classifier, context);
        return toChosen({ name: chosen.engine, modelName: null, version: further.version }, further, classifier);
      };
      return {
        first: create({ engine, modelName: modelName ?? null }),
        second: secondOpinion == null ? null : create(secondOpinion),
      };
    },
  };
}

/** Returns how long an engine may take: the time that it has been given, but no longer than the call can wait. */
function getTimeoutMs(ownMs: number, remainingMs: number | undefined): number {
  if (remainingMs === undefined) return ownMs;
  return Math.max(1, Math.min(ownMs, remainingMs - Math.min(reserveMs, remainingMs / 2)));
}
