import { Center, Stack, Title } from "@mantine/core";
import { useEffect, useRef } from "react";
import { Problem } from "../api/problem.tsx";
import { retryMs } from "../api/queries.ts";
import { useTabTitle } from "../controls/page-title.tsx";
import { texts } from "../texts/index.ts";

/** Says why nobody is signed in yet although there is a token. It tries again on its own. */
export function Unavailable({ error, retry }: { error: unknown; retry: () => void }) {
  useTabTitle([texts.problems.unavailable, "Switchyard"]);
  // Once for each failure: a sign-in link that is exchanged twice at the same time seems to have been used before.
  const tried = useRef<unknown>(undefined);
  const tryAgain = (): void => {
    if (tried.current === error) return;
    tried.current = error;
    retry();
  };
  useEffect(() => {
    const timer = setTimeout(tryAgain, retryMs);
    return () => clearTimeout(timer);
  }, [error]);
  return (
    <Center component="main" mih="100vh" p="md">
      <Stack maw={560}>
        <Title order={1} size="h3">
          {texts.problems.unavailable}
        </Title>
        <Problem error={error} retry={tryAgain} />
      </Stack>
    </Center>
  );
}
