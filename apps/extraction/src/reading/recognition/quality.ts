/**
 * Text that was recognized with a lower mean confidence is poor. Measured on receipts that were reduced until they were illegible: above it,
 * at least six of ten words are right, and below it hardly any.
 */
const poorConfidence = 0.85;

/** Whether the text that was recognized in a picture can be used. */
export function isLegible({ confidence }: { readonly confidence: number }): boolean {
  return confidence >= poorConfidence;
}
