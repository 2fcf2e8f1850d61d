import { Center, Loader } from "@mantine/core";
import { Problem } from "./problem.tsx";
import { texts } from "../texts/index.ts";

/** What is shown until a call has responded, or if it failed. */
export function Waiting({ error, retry }: { error: unknown; retry: () => void }) {
  if (error !== null) return <Problem error={error} retry={retry} />;
  return (
    <Center p="xl">
      <Loader aria-label={texts.table.loading} />
    </Center>
  );
}
