/** Answers that are kept while there is room for them, those asked for last before others. */

interface Entry<T> {
  value: Promise<T>;
  /** Bytes, once they are known. */
  bytes: number;
}

export class Kept<T> {
  private readonly entries = new Map<string, Entry<T>>();

  /** Keeps `most` bytes as `bytesOf` counts them, and in any case the last `least` answers. */
  constructor(private readonly most: number, private readonly least: number, private readonly bytesOf: (value: T) => number) {}

  /** The answer under a key, which is made if it is not kept; one that fails is not kept. */
  of(key: string, make: () => Promise<T>): Promise<T> {
    const known = this.entries.get(key);
    const entry = known ?? { value: make(), bytes: 0 };
    this.entries.delete(key);
    this.entries.set(key, entry);
    if (!known) void this.weigh(key, entry);
    return entry.value;
  }

  private async weigh(key: string, entry: Entry<T>): Promise<void> {
    try {
      entry.bytes = this.bytesOf(await entry.value);
    } catch {
      if (this.entries.get(key) === entry) this.entries.delete(key);
    }
    let bytes = [...this.entries.values()].reduce((sum, one) => sum + one.bytes, 0);
    for (const [old, { bytes: own }] of this.entries) {
      if (bytes <= this.most || this.entries.size <= this.least) return;
      this.entries.delete(old);
      bytes -= own;
    }
  }
}
