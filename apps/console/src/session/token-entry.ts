import { useState } from "react";
import type { ChangeEvent, SubmitEvent } from "react";
import { texts } from "../texts/index.ts";

/**
 * The state of a form in which a token is entered and checked. `onToken` continues with the token, and returns why it cannot be used;
 * undefined if it can. `input` has the properties of the field, and `problem` is why the last token could not be used.
 */
export function useTokenEntry(onToken: (token: string) => Promise<string | undefined>) {
  const [token, setToken] = useState("");
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const [isChecking, setChecking] = useState(false);
  const check = async (): Promise<void> => {
    setChecking(true);
    setProblem(await onToken(token.trim()));
    setChecking(false);
  };
  return {
    problem,
    isChecking,
    submit: (event: SubmitEvent): void => {
      event.preventDefault();
      void check();
    },
    input: {
      label: texts.signIn.token,
      value: token,
      onChange: (event: ChangeEvent<HTMLInputElement>) => setToken(event.currentTarget.value),
      error: problem,
      autoComplete: "off",
      required: true,
    },
  };
}
