import { Button, Group, Input, Stack, Textarea } from "@mantine/core";
import { texts } from "../../../texts/index.ts";

const words = texts.classifiers.form;
const maxExamples = 20;

/** Takes the examples of a route: short texts, each in a field of its own. */
export function ExamplesInput({
  value,
  onChange,
  error,
}: {
  value: readonly string[];
  onChange: (examples: readonly string[]) => void;
  error: string | undefined;
}) {
  return (
    <Input.Wrapper label={words.examples} description={words.examplesHint} error={error} labelElement="div">
      <Stack gap="xs" mt="xs">
        {value.map((example, position) => (
          <Group key={position} wrap="nowrap" align="start">
            <Textarea
              aria-label={words.example(position + 1)}
              value={example}
              onChange={(event) => onChange(value.with(position, event.currentTarget.value))}
              maxLength={2000}
              autosize
              maxRows={4}
              flex={1}
            />
            <Button
              variant="default"
              aria-label={words.removeExample(position + 1)}
              onClick={() => onChange(value.toSpliced(position, 1))}
            >
              {texts.actions.remove}
            </Button>
          </Group>
        ))}
        {value.length < maxExamples && (
          <Button variant="default" onClick={() => onChange([...value, ""])} style={{ alignSelf: "start" }}>
            {words.addExample}
          </Button>
        )}
      </Stack>
    </Input.Wrapper>
  );
}
