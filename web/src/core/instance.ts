/** An instance of the core: questions and answers as crates/web reads and writes them. */

/** Names and NumPy's types of the fields of a record. */
export type Layout = [string, string][];

export interface Column {
  name: string;
  layout: Layout;
  bytes: ArrayBuffer;
}

export interface Answer {
  head: Record<string, unknown>;
  columns: Column[];
}

/** Thrown when the instance trapped: it is of no further use. */
export class Trap extends Error {}

interface Exports {
  memory: WebAssembly.Memory;
  room(length: number): number;
  ask(): number;
  answer(): number;
  last_words(): number;
  last_words_at(): number;
}

const WORD = 8;

/** An address or a length as the core means it: a signed number comes out, from 2 GiB on below 0. */
function address(signed: number): number {
  return signed >>> 0;
}

export class Instance {
  private readonly exports: Exports;

  constructor(module: WebAssembly.Module) {
    this.exports = new WebAssembly.Instance(module, {}).exports as unknown as Exports;
  }

  /** Asks a question, JSON in a text. Throws `Trap`. */
  ask(question: string): Answer {
    const { exports } = this;
    const sent = new TextEncoder().encode(question);
    try {
      // First, since it may grow the memory, which replaces the buffer.
      const at = address(exports.room(sent.length));
      new Uint8Array(exports.memory.buffer, at, sent.length).set(sent);
      const length = address(exports.ask());
      return this.read(address(exports.answer()), length);
    } catch (error) {
      if (error instanceof WebAssembly.RuntimeError) throw new Trap(this.lastWords(error));
      throw error;
    }
  }

  private read(at: number, length: number): Answer {
    const bytes = new Uint8Array(this.exports.memory.buffer, at, length);
    const words = new DataView(bytes.buffer, at, length);
    const end = WORD + Number(words.getBigUint64(0, true));
    const head = JSON.parse(new TextDecoder().decode(bytes.subarray(WORD, end))) as Answer["head"];
    let place = Math.ceil(end / WORD) * WORD;
    const listed = head["columns"] as { name: string; layout: Layout; words: number }[];
    const columns = listed.map(({ name, layout, words: count }) => {
      const begin = place;
      place += WORD * count;
      return { name, layout, bytes: bytes.slice(begin, place).buffer };
    });
    return { head, columns };
  }

  private lastWords(error: WebAssembly.RuntimeError): string {
    const length = address(this.exports.last_words());
    if (length === 0) return error.message;
    const at = address(this.exports.last_words_at());
    return new TextDecoder().decode(new Uint8Array(this.exports.memory.buffer, at, length));
  }
}
