/** Texts in quotes, as JSON, TOML and Python read them. */

/** Controls of terminals (C1), and marks that change the direction of what is read. */
const HIDDEN = /[\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** A text in quotes, with escapes for characters that a terminal obeys or that make others read otherwise than they run. */
export function visible(text: string): string {
  return JSON.stringify(text).replace(HIDDEN, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
