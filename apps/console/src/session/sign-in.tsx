import { Alert, Button, Center, Paper, PasswordInput, Stack, Title } from "@mantine/core";
import { useEffect } from "react";
import { useTabTitle } from "../controls/page-title.tsx";
import { texts } from "../texts/index.ts";
import { useTokenEntry } from "./token-entry.ts";

/** What the sign-in needs. */
export interface SignInProps {
  /** Why the caller is asked for a token again. */
  readonly notice: string | undefined;
  /** Signs in with a token, and returns why it cannot be used; undefined if it can. */
  readonly onToken: (token: string) => Promise<string | undefined>;
}

/** Asks for a token. */
export function SignIn({ notice, onToken }: SignInProps) {
  const { input, problem, submit, isChecking } = useTokenEntry(onToken);
  useTabTitle([texts.signIn.title]);
  // What had the focus is gone then, and the page that follows is already there.
  useEffect(() => () => document.getElementById("content")?.focus(), []);
  return (
    <Center component="main" mih="100vh" p="md">
      <Paper withBorder p="xl" w="100%" maw={420}>
        <form onSubmit={submit}>
          <Stack>
            <Title order={1} size="h3">
              {texts.signIn.title}
            </Title>
            {notice !== undefined && problem === undefined && (
              <Alert color="yellow" role="status">
                {notice}
              </Alert>
            )}
            <PasswordInput {...input} description={texts.signIn.tokenHint} autoFocus />
            <Button type="submit" loading={isChecking}>
              {texts.signIn.submit}
            </Button>
          </Stack>
        </form>
      </Paper>
    </Center>
  );
}
