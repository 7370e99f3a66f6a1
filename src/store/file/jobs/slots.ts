import { crc32 } from '../../../media/crc32.ts'

/** Bytes of one job. */
export const SLOT = 96
/** Bytes before the checksum. */
const CHECKED = 88
const [NUMBERS, WORDS] = [SLOT / 8, SLOT / 4]

/** Places of numbers with 64 bits in a slot. */
export const NUMBER = { created: 0, started: 1, completed: 2, expires: 3, inputBytes: 4, bytes: 5 } as const
/** Places of numbers with 32 bits in a slot; `id` takes four of them, `client` two. */
export const WORD = { owner: 12, tool: 13, id: 14, client: 18, flags: 20, names: 21, crc: 22 } as const

/** Slots of one size in one piece of memory, which is at the same time what their file holds. */
export class JobSlots {
  #bytes: Uint8Array
  #numbers: Float64Array
  #words: Uint32Array
  /** Slots that were ever given out. */
  #length: number
  /**
   * Slots by the first word of their id, which is random: one more than the slot, 0 where there is none. Entries of slots
   * that are free, or another's now, stay until there are too many.
   */
  #places = new Uint32Array(0)
  #entries = 0
  #used = 0
  readonly #free: number[] = []

  /** @param bytes a file of slots; those whose checksum is wrong are free */
  constructor(bytes: Uint8Array = new Uint8Array(0)) {
    this.#length = Math.floor(bytes.length / SLOT)
    const room = Math.max(1024, this.#length * 2)
    const buffer = new ArrayBuffer(room * SLOT)
    this.#bytes = new Uint8Array(buffer)
    this.#bytes.set(bytes.subarray(0, this.#length * SLOT))
    this.#numbers = new Float64Array(buffer)
    this.#words = new Uint32Array(buffer)
    for (let slot = 0; slot < this.#length; slot++)
      if (this.#isWhole(slot)) this.#used++
      else {
        this.#empty(slot)
        this.#free.push(slot)
      }
    this.#arrange()
  }

  get length(): number {
    return this.#length
  }

  get used(): number {
    return this.#used
  }

  isUsed(slot: number): boolean {
    return this.word(slot, WORD.flags) !== 0
  }

  number(slot: number, place: number): number {
    return this.#numbers[slot * NUMBERS + place]!
  }

  word(slot: number, place: number): number {
    return this.#words[slot * WORDS + place]!
  }

  setNumber(slot: number, place: number, value: number): void {
    this.#numbers[slot * NUMBERS + place] = value
  }

  setWord(slot: number, place: number, value: number): void {
    this.#words[slot * WORDS + place] = value
  }

  bytesOf(slot: number): Uint8Array {
    return this.#bytes.subarray(slot * SLOT, (slot + 1) * SLOT)
  }

  idOf(slot: number): string {
    const hex = [0, 1, 2, 3]
      .map((index) =>
        this.word(slot, WORD.id + index)
          .toString(16)
          .padStart(8, '0'),
      )
      .join('')
    return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
  }

  /** The slot of an id; undefined when there is none. */
  find(id: string): number | undefined {
    const first = wordOf(id, 0)
    for (let place = this.#placeOf(first); this.#places[place] !== 0; place = (place + 1) % this.#places.length) {
      const slot = this.#places[place]! - 1
      if (this.word(slot, WORD.id) === first && this.isUsed(slot) && this.#isRest(slot, id)) return slot
    }
    return undefined
  }

  /** Whether the words of an id behind the first are those of a slot. */
  #isRest(slot: number, id: string): boolean {
    for (let index = 1; index < 4; index++) if (this.word(slot, WORD.id + index) !== wordOf(id, index)) return false
    return true
  }

  /** A free slot with this id. What else is in it is to be set, and then sealed. */
  take(id: string): number {
    const slot = this.#free.pop() ?? this.#length++
    if ((slot + 1) * SLOT > this.#bytes.length) this.#grow()
    this.#empty(slot)
    for (let index = 0; index < 4; index++) this.setWord(slot, WORD.id + index, wordOf(id, index))
    this.#used++
    if (this.#entries * 2 >= this.#places.length) this.#arrange()
    this.#enter(slot)
    return slot
  }

  /** Sets the checksum of a slot that was changed. */
  seal(slot: number): void {
    this.setWord(slot, WORD.crc, this.#checksum(slot))
  }

  clear(slot: number): void {
    this.#empty(slot)
    this.#used--
    this.#free.push(slot)
  }

  #empty(slot: number): void {
    this.#bytes.fill(0, slot * SLOT, (slot + 1) * SLOT)
  }

  #checksum(slot: number): number {
    return crc32(this.#bytes, 0, slot * SLOT, slot * SLOT + CHECKED)
  }

  #isWhole(slot: number): boolean {
    return this.isUsed(slot) && this.word(slot, WORD.crc) === this.#checksum(slot)
  }

  #grow(): void {
    const buffer = new ArrayBuffer(this.#bytes.length * 2)
    const bytes = new Uint8Array(buffer)
    bytes.set(this.#bytes)
    this.#bytes = bytes
    this.#numbers = new Float64Array(buffer)
    this.#words = new Uint32Array(buffer)
  }

  #placeOf(word: number): number {
    return word % this.#places.length
  }

  #enter(slot: number): void {
    let place = this.#placeOf(this.word(slot, WORD.id))
    while (this.#places[place] !== 0) place = (place + 1) % this.#places.length
    this.#places[place] = slot + 1
    this.#entries++
  }

  /** Enters all ids again, with room for as many again. */
  #arrange(): void {
    this.#places = new Uint32Array(Math.max(4096, this.#used * 4))
    this.#entries = 0
    for (let slot = 0; slot < this.#length; slot++) if (this.isUsed(slot)) this.#enter(slot)
  }
}

/** Where each of four numbers begins in an id with dashes, and where the rest of it goes on behind a dash. */
const PLACES = [
  [0, 4],
  [9, 14],
  [19, 24],
  [28, 32],
] as const

/** One of the four numbers of 32 bits that an id is. Of no part a text is made: a start does this for every folder. */
function wordOf(id: string, index: number): number {
  const [start, rest] = PLACES[index]!
  let word = 0
  for (let at = 0; at < 4; at++) word = word * 16 + digitOf(id.charCodeAt(start + at))
  for (let at = 0; at < 4; at++) word = word * 16 + digitOf(id.charCodeAt(rest + at))
  return word
}

/** Of a lower-case hexadecimal digit, by its code. */
const digitOf = (code: number): number => (code < 97 ? code - 48 : code - 87)
