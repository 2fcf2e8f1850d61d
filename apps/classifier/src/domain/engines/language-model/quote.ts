const MIN_CHARACTERS = 3;

/** Returns the quotes that a text contains. Case, spaces and the forms of characters do not count; less than three letters or digits say nothing. */
export function findQuotes(quotes: readonly string[], text: string): string[] {
  const folded = fold(text);
  return quotes.filter((quote) => {
    const wanted = fold(quote.replace(/…$/u, ""));
    return (wanted.match(/[\p{L}\p{N}]/gu)?.length ?? 0) >= MIN_CHARACTERS && folded.includes(wanted);
  });
}

function fold(text: string): string {
  return text.normalize("NFKC").toLowerCase().replaceAll(/\s+/gu, " ").trim();
}
