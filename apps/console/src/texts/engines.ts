/** The texts about engines, wherever they are chosen or named. */
export const engines = {
  firstModel: (engine: string) => `${engine} (its first model)`,
  by: (engine: string, version: string, learnedFrom: number) =>
    `Engine: ${engine}, version ${version}, learned from ${learnedFrom} ${learnedFrom === 1 ? "document" : "documents"}`,
  second: (engine: string, outcome: string) => `Second opinion of ${engine}: ${outcome}`,
  outcomes: {
    DECIDED: "it chose the route",
    NONE: "it found no route either",
    ENGINE_UNREACHABLE: "it could not be reached, so the first decision stands",
    ENGINE_TIMEOUT: "it did not answer in time, so the first decision stands",
    ENGINE_REFUSED: "it refused to answer, so the first decision stands",
    ENGINE_ANSWER_INVALID: "its answer was invalid, so the first decision stands",
  },
  usage: (input: string, output: string) => `Tokens: ${input} in, ${output} out`,
  cost: (cost: string) => `Cost: ${cost}`,
};
