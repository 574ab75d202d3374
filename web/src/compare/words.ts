/** Records of a column. */

import type { Column } from "../core/instance";

/** 64-bit words of a column as numbers, which are exact up to 2^53. */
export class Words {
  private readonly view: DataView;
  readonly length: number;

  constructor({ bytes, layout }: Column, private readonly bytesOfRecord: number) {
    this.view = new DataView(bytes);
    this.length = bytes.byteLength / bytesOfRecord;
    if (!Number.isInteger(this.length)) throw new Error(`records of ${JSON.stringify(layout)} have another length`);
  }

  int64(record: number, place: number): number {
    const at = record * this.bytesOfRecord + place;
    return this.view.getInt32(at + 4, true) * 2 ** 32 + this.view.getUint32(at, true);
  }

  uint32(record: number, place: number): number {
    return this.view.getUint32(record * this.bytesOfRecord + place, true);
  }

  int32(record: number, place: number): number {
    return this.view.getInt32(record * this.bytesOfRecord + place, true);
  }

  int16(record: number, place: number): number {
    return this.view.getInt16(record * this.bytesOfRecord + place, true);
  }

  int8(record: number, place: number): number {
    return this.view.getInt8(record * this.bytesOfRecord + place);
  }

  float64(record: number, place: number): number {
    return this.view.getFloat64(record * this.bytesOfRecord + place, true);
  }
}
