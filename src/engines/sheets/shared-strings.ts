/** The shared strings of cells, in two byte buffers: a million JavaScript strings take three times as much. */
export class SharedStrings {
  #bytes = Buffer.allocUnsafe(1 << 16)
  #ends = new Uint32Array(1 << 10)
  #count = 0

  add(text: string): void {
    const start = this.#end(this.#count)
    const needed = start + Buffer.byteLength(text)
    if (needed > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(needed, this.#bytes.length * 2))
      this.#bytes.copy(larger, 0, 0, start)
      this.#bytes = larger
    }
    if (this.#count === this.#ends.length) {
      const larger = new Uint32Array(this.#ends.length * 2)
      larger.set(this.#ends)
      this.#ends = larger
    }
    this.#bytes.write(text, start)
    this.#ends[this.#count] = needed
    this.#count += 1
  }

  /** The text at an index from 0; '' if it does not exist. */
  get(number: number): string {
    return number >= 0 && number < this.#count
      ? this.#bytes.toString('utf8', this.#end(number), this.#ends[number])
      : ''
  }

  #end(count: number): number {
    return count === 0 ? 0 : this.#ends[count - 1]!
  }
}
