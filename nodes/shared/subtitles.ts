/**
 * The chosen model, in an expression of the editor's. One that each item names is shown as it was written, one that an
 * agent chooses is not: that expression is n8n's.
 */
export const chosenModel =
	'(/\\$fromAI\\b/i.test($rawParameter["model"] ?? "") ? "model set by AI" : ($rawParameter["model"] ?? "").replace(/^=/, "").trim())';

/** Tells nodes apart on the canvas by their model. */
export const modelSubtitle = `={{ ${chosenModel} }}`;
