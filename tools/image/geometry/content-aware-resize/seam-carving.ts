/**
 * Seam carving (Avidan and Shamir, "Seam Carving for Content-Aware Image Resizing", SIGGRAPH 2007): removes paths of
 * least energy, one pixel per row, until the image is narrow enough. Energy is the Sobel gradient of the luma. After
 * each seam, energy and path sums are recomputed only where they can have changed.
 */

/** Grey values of an image, one byte each, row by row. */
export interface Luma {
  data: Uint8Array
  /** 1 for pixels to keep as long as there are others, otherwise 0. */
  guarded: Uint8Array
  width: number
  height: number
}

/** The remaining columns: for every row, `width` column numbers of the original image. */
export interface Kept {
  columns: Uint16Array
  width: number
}

/** Cost of a path that leaves the image; sums stay below 2^31 for any image of up to 16,383 rows. */
const OUTSIDE = 0x7fffffff

/** Additional cost of a protected pixel: more than any path through the rest of a typical image. */
const GUARDED = 50_000

/** The working state: rows keep their original stride, so that removing a pixel moves only the rest of its row. */
class Carver {
  readonly #stride: number
  readonly #height: number
  readonly #luma: Uint8Array
  readonly #guarded: Uint8Array
  readonly #energy: Uint16Array
  readonly #sums: Int32Array
  readonly #columns: Uint16Array
  readonly #threshold: number
  readonly #seam: Int32Array
  #width: number

  constructor({ data, guarded, width, height }: Luma, threshold: number) {
    this.#stride = width
    this.#width = width
    this.#height = height
    this.#threshold = threshold
    this.#luma = Uint8Array.from(data)
    this.#guarded = Uint8Array.from(guarded)
    this.#energy = new Uint16Array(width * height)
    this.#sums = new Int32Array(width * height)
    this.#seam = new Int32Array(height)
    this.#columns = new Uint16Array(width * height)
    for (let y = 0; y < height; y += 1) {
      for (let x = 0; x < width; x += 1) this.#columns[y * width + x] = x
      this.#measure(y, 0, width - 1)
    }
    for (let y = 0; y < height; y += 1) this.#sum(y, 0, width - 1)
  }

  /** Sobel gradient of part of a row, |gx| + |gy|; clamped at the edges. Values below the threshold count as flat. */
  #measure(y: number, from: number, to: number): void {
    const luma = this.#luma
    const last = this.#width - 1
    const above = Math.max(0, y - 1) * this.#stride
    const row = y * this.#stride
    const below = Math.min(this.#height - 1, y + 1) * this.#stride
    for (let x = Math.max(0, from); x <= Math.min(last, to); x += 1) {
      const left = x > 0 ? x - 1 : 0
      const right = x < last ? x + 1 : last
      const [nw, ne] = [luma[above + left]!, luma[above + right]!]
      const [sw, se] = [luma[below + left]!, luma[below + right]!]
      const gx = ne + 2 * luma[row + right]! + se - nw - 2 * luma[row + left]! - sw
      const gy = sw + 2 * luma[below + x]! + se - nw - 2 * luma[above + x]! - ne
      const size = (gx < 0 ? -gx : gx) + (gy < 0 ? -gy : gy)
      this.#energy[row + x] = (size < this.#threshold ? 0 : size) + (this.#guarded[row + x] ? GUARDED : 0)
    }
  }

  /** Sums of the cheapest paths from the top to part of a row. */
  #sum(y: number, from: number, to: number): void {
    const sums = this.#sums
    const row = y * this.#stride
    if (y === 0) {
      for (let x = from; x <= to; x += 1) sums[x] = this.#energy[x]!
      return
    }
    const above = row - this.#stride
    const last = this.#width - 1
    let left = from > 0 ? sums[above + from - 1]! : OUTSIDE
    let middle = sums[above + from]!
    for (let x = from; x <= to; x += 1) {
      const right = x < last ? sums[above + x + 1]! : OUTSIDE
      let least = middle
      if (left < least) least = left
      if (right < least) least = right
      sums[row + x] = this.#energy[row + x]! + least
      left = middle
      middle = right
    }
  }

  /** Finds the cheapest path from the bottom up. */
  #find(): void {
    const sums = this.#sums
    const last = this.#width - 1
    let row = (this.#height - 1) * this.#stride
    let best = 0
    for (let x = 1; x <= last; x += 1) if (sums[row + x]! < sums[row + best]!) best = x
    this.#seam[this.#height - 1] = best
    for (let y = this.#height - 2; y >= 0; y -= 1) {
      row -= this.#stride
      let next = best
      if (best > 0 && sums[row + best - 1]! < sums[row + next]!) next = best - 1
      if (best < last && sums[row + best + 1]! < sums[row + next]!) next = best + 1
      best = next
      this.#seam[y] = best
    }
  }

  /** Removes one seam. */
  remove(): void {
    this.#find()
    const { length } = this.#seam
    const stride = this.#stride
    for (let y = 0; y < length; y += 1) {
      const at = y * stride + this.#seam[y]!
      const end = y * stride + this.#width
      this.#luma.copyWithin(at, at + 1, end)
      this.#guarded.copyWithin(at, at + 1, end)
      this.#energy.copyWithin(at, at + 1, end)
      this.#sums.copyWithin(at, at + 1, end)
      this.#columns.copyWithin(at, at + 1, end)
    }
    this.#width -= 1
    this.#refresh()
  }

  /** Recomputes the values affected by the removed seam, following changed sums down row by row. */
  #refresh(): void {
    const last = this.#width - 1
    const seam = this.#seam
    let [low, high] = [1, 0]
    for (let y = 0; y < this.#height; y += 1) {
      const here = seam[y]!
      const above = y > 0 ? seam[y - 1]! : here
      const below = y < this.#height - 1 ? seam[y + 1]! : here
      const left = Math.max(0, Math.min(here, above, below) - 2)
      const right = Math.min(last, Math.max(here, above, below) + 1)
      this.#measure(y, left, right)
      const isChanged = low <= high
      const from = isChanged ? Math.max(0, Math.min(left, low - 1)) : left
      const to = isChanged ? Math.min(last, Math.max(right, high + 1)) : right
      const row = y * this.#stride
      const before = this.#sums.slice(row + from, row + to + 1)
      this.#sum(y, from, to)
      low = from
      high = to
      while (low <= high && this.#sums[row + low] === before[low - from]) low += 1
      while (high >= low && this.#sums[row + high] === before[high - from]) high -= 1
    }
  }

  kept(): Kept {
    const width = this.#width
    const columns = new Uint16Array(width * this.#height)
    for (let y = 0; y < this.#height; y += 1)
      columns.set(this.#columns.subarray(y * this.#stride, y * this.#stride + width), y * width)
    return { columns, width }
  }
}

/**
 * The pixels of every row that remain when an image is made narrower.
 * @param wanted columns of the result, 1 up to the image's width
 * @param threshold gradients (0 to 2040) below it count as flat
 * @param onProgress called occasionally with the completed share
 */
export function carve(luma: Luma, wanted: number, threshold: number, onProgress?: (part: number) => void): Kept {
  const carver = new Carver(luma, threshold)
  const count = luma.width - wanted
  for (let index = 0; index < count; index += 1) {
    carver.remove()
    if (index % 16 === 0) onProgress?.(index / count)
  }
  return carver.kept()
}

/** Samples of the remaining pixels. */
export function pick<T extends Uint8Array | Uint16Array>(
  data: T,
  { width, height, channels }: { width: number; height: number; channels: number },
  kept: Kept,
): T {
  const picked = new (data.constructor as new (length: number) => T)(kept.width * height * channels)
  let to = 0
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < kept.width; x += 1) {
      const from = (y * width + kept.columns[y * kept.width + x]!) * channels
      for (let channel = 0; channel < channels; channel += 1) picked[to++] = data[from + channel]!
    }
  return picked
}

/** Transposes rows and columns. */
export function transpose<T extends Uint8Array | Uint16Array>(
  data: T,
  { width, height, channels }: { width: number; height: number; channels: number },
): T {
  const turned = new (data.constructor as new (length: number) => T)(data.length)
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1)
      for (let channel = 0; channel < channels; channel += 1)
        turned[(x * height + y) * channels + channel] = data[(y * width + x) * channels + channel]!
  return turned
}
