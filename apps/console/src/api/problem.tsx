import { Alert, Button, Group, List, Text } from "@mantine/core";
import { ApiError, ConnectionError } from "@switchyard/client";
import { texts } from "../texts/index.ts";

/**
 * Shows why a call failed: the server's explanation, the invalid fields, and the ID under which the log has it. What has no `retry` is a change
 * or a download, which nothing repeats.
 */
export function Problem({ error, retry }: { error: unknown; retry?: (() => void) | undefined }) {
  if (error === null || error === undefined) return null;
  const { title, message, fields, requestId } = describe(error, retry !== undefined);
  return (
    <Alert color="red" title={title} role="alert" variant="light">
      <Text size="sm">{message}</Text>
      {fields.length > 0 && (
        <List size="sm" mt="xs">
          {fields.map(({ field, message: explanation }) => (
            <List.Item key={`${field} ${explanation}`}>
              <b>{field}</b>: {explanation}
            </List.Item>
          ))}
        </List>
      )}
      <Group justify="space-between" mt="xs">
        {requestId === "" ? <span /> : <Text size="xs">{texts.problems.request(requestId)}</Text>}
        {retry !== undefined && (
          <Button size="compact-sm" variant="default" onClick={retry}>
            {texts.problems.retry}
          </Button>
        )}
      </Group>
    </Alert>
  );
}

function describe(
  error: unknown,
  isRepeated: boolean,
): {
  title: string;
  message: string;
  fields: ApiError["errors"];
  requestId: string;
} {
  if (error instanceof ApiError) {
    const { problem, errors, requestId, code } = error;
    return { title: `${problem.title} (${code})`, message: problem.detail, fields: errors, requestId };
  }
  if (error instanceof ConnectionError)
    return {
      title: texts.problems.unreachable,
      message: isRepeated ? texts.problems.unreachableMessage : texts.problems.notRepeated,
      fields: [],
      requestId: "",
    };
  const message = error instanceof Error ? error.message : String(error);
  return { title: texts.problems.failed, message, fields: [], requestId: "" };
}
