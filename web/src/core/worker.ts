/** A worker with one instance: the module comes first, then questions, each with a number. */

import { Instance, Trap } from "./instance";
import type { Reply, Request } from "./messages";

let instance: Instance | undefined;

self.onmessage = ({ data }: MessageEvent<Request>) => {
  if ("module" in data) {
    instance = new Instance(data.module);
    return;
  }
  const { id, question } = data;
  try {
    const { head, columns } = instance!.ask(question);
    const reply: Reply = { id, head, columns };
    self.postMessage(reply, { transfer: columns.map((column) => column.bytes) });
  } catch (error) {
    if (!(error instanceof Trap)) throw error;
    const reply: Reply = { id, trapped: error.message };
    self.postMessage(reply);
  }
};
