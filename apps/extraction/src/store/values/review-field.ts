import mongoose from "mongoose";
import type { Review } from "../../domain/review/review.ts";

/** Creates the schema field of a review, which is null by default. */
export function reviewField() {
  const schema = new mongoose.Schema<Review>(
    { reason: Number, message: String, confidence: Number, urgency: Number },
    { _id: false },
  );
  return { type: schema, default: null };
}
