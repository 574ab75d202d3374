/** Columns that double as they fill. */

export class Numbers {
  private room = new Float64Array(1024);
  length = 0;

  push(value: number): void {
    if (this.length === this.room.length) {
      const larger = new Float64Array(2 * this.length);
      larger.set(this.room);
      this.room = larger;
    }
    this.room[this.length++] = value;
  }

  /** The numbers in as much room as they take. */
  copy(): Float64Array {
    return this.values.slice();
  }

  get values(): Float64Array {
    return this.room.subarray(0, this.length);
  }
}
