/** The chosen model, in an expression of the editor's. One that each item names is shown as it was written. */
export const chosenModel = '($rawParameter["model"] ?? "").replace(/^=/, "").trim()';

/** Tells nodes apart on the canvas by their model. */
export const modelSubtitle = `={{ ${chosenModel} }}`;
