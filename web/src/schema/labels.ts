/** Names of keys in words: `path.hop[0].channel.loss_rate` is the channel loss rate where there is one hop. */

import { isTable, steps, type Table, type Value } from "../document";

/** Tables that say nothing about a key which its name does not say. */
const SILENT = ["tcp", "path", "link", "stop"];
const WORDS: Record<string, string> = {
  ack: "ACK", arq: "ARQ", congestion: "congestion control", dupacks: "duplicate ACKs", ecn: "ECN", mss: "MSS", rto: "RTO", sack: "SACK",
};

/** The name of a key of a point; `isInGroup` where its table is named above it. */
export function labelOf(path: string, point: Table, isInGroup = false): string {
  const all = steps(path);
  const words: string[] = [];
  let here: Value | undefined = point;
  for (let i = 0; i < all.length; i++) {
    const [step, next] = [all[i]!, all[i + 1]];
    const below = inside(here, step);
    if (Array.isArray(below) && below.length === 1 && typeof next === "number" && i + 2 < all.length) {
      // Of one hop or flow alone its number says nothing.
      here = below[0];
      i++;
      continue;
    }
    const isSilent = i === 0 && typeof next === "string" && (isInGroup || SILENT.includes(String(step)));
    if (!isSilent) words.push(typeof step === "number" ? String(step + 1) : worded(step));
    here = below;
  }
  return words.join(" ");
}

function inside(value: Value | undefined, step: string | number): Value | undefined {
  if (typeof step === "number") return Array.isArray(value) ? value[step] : undefined;
  return isTable(value) && Object.hasOwn(value, step) ? value[step] : undefined;
}

function worded(key: string): string {
  return Object.hasOwn(WORDS, key) ? WORDS[key]! : key.replaceAll("_", " ");
}

/**
 * The first sentence of a text of the schema, and the rest, without the sentence that says what holds where
 * the key is absent: a control always has a value.
 */
export function helpOf(text: string): [first: string, rest: string] {
  const sentences = text.split(/(?<=\.)\s+(?=[A-Z])/).filter((one) => !one.startsWith("Absent: "));
  return [sentences[0] ?? "", sentences.slice(1).join(" ")];
}
