import type { FileHandle } from 'node:fs/promises'
import { crc32 } from '../../../media/crc32.ts'
import type { AuditEntry } from '../../records.ts'
import { parseLine } from './lines.ts'

/** Bytes per block of a file; a longer line is a block of its own. */
const BLOCK = 256 * 1024
const NEWLINE = 10
/** Bits of the filter for addresses in a block. */
const ADDRESS_BITS = 8192

/** Summary of a block: enough to skip it, or to count its entries without reading it again. */
export interface AuditBlock {
  /** Offset in the file. */
  start: number
  end: number
  entries: number
  actions: ReadonlyMap<string, number>
  /** Earliest and latest time, ISO 8601. */
  first: string
  last: string
  addresses: Uint8Array
}

/** The two filter bits of an address. */
function bitsOf(address: string): [number, number] {
  const sum = crc32(Buffer.from(address))
  return [sum % ADDRESS_BITS, (sum >>> 16) % ADDRESS_BITS]
}

/** Whether a block may contain an entry of this address (Bloom filter: no false negatives). */
export function mayHold({ addresses }: AuditBlock, address: string): boolean {
  return bitsOf(address).every((bit) => (addresses[bit >> 3]! & (1 << (bit & 7))) !== 0)
}

/** Reads a block of a file, up to the end of the file. */
async function readPart(handle: FileHandle, start: number, size: number): Promise<Buffer> {
  const part = Buffer.allocUnsafe(size)
  let filled = 0
  while (filled < size) {
    const { bytesRead } = await handle.read(part, filled, size - filled, start + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return part.subarray(0, filled)
}

/** The entries of complete lines, in order. */
function entriesOf(lines: Buffer): AuditEntry[] {
  return lines
    .toString()
    .split('\n')
    .flatMap((line) => {
      const found = parseLine(line)
      if (!found) return []
      const { previous: _, ...entry } = found
      return [entry]
    })
}

function blockOf(start: number, lines: Buffer): AuditBlock {
  const entries = entriesOf(lines)
  const actions = new Map<string, number>()
  const addresses = new Uint8Array(ADDRESS_BITS / 8)
  let [first, last] = ['', '']
  for (const { action, ipAddress, createdAt } of entries) {
    actions.set(action, (actions.get(action) ?? 0) + 1)
    for (const bit of bitsOf(ipAddress ?? '')) addresses[bit >> 3]! |= 1 << (bit & 7)
    // The clock may have been set back.
    if (first === '' || createdAt < first) first = createdAt
    if (createdAt > last) last = createdAt
  }
  return { start, end: start + lines.length, entries: entries.length, actions, first, last, addresses }
}

/** Scans a file from an offset, block by block. An incomplete last line is in no block. */
async function* blocksFrom(handle: FileHandle, start: number, end: number): AsyncGenerator<AuditBlock> {
  for (let at = start; at < end; ) {
    let size = BLOCK
    let lines: Buffer
    do {
      const part = await readPart(handle, at, Math.min(size, end - at))
      lines = part.subarray(0, part.lastIndexOf(NEWLINE) + 1)
      size *= 2
    } while (lines.length === 0 && size / 2 < end - at)
    if (lines.length === 0) return
    yield blockOf(at, lines)
    at += lines.length
  }
}

/** The entries of a block, newest first. */
export async function readBlock(handle: FileHandle, { start, end }: AuditBlock): Promise<AuditEntry[]> {
  return entriesOf(await readPart(handle, start, end - start)).reverse()
}

/**
 * Block index of one log file, which only grows or is replaced: each block is scanned once, and the last one again when
 * lines were added.
 */
export class AuditIndex {
  #file: number | undefined
  #blocks: readonly AuditBlock[] = []
  #turn: Promise<unknown> = Promise.resolve()

  /** The current blocks of the file, in order. */
  blocks(handle: FileHandle): Promise<readonly AuditBlock[]> {
    const result = this.#turn.then(() => this.#upToDate(handle))
    this.#turn = result.catch(() => {})
    return result
  }

  async #upToDate(handle: FileHandle): Promise<readonly AuditBlock[]> {
    const { ino, size } = await handle.stat()
    const isSame = ino === this.#file
    if (isSame && this.#blocks.at(-1)?.end === size) return this.#blocks
    const kept = isSame ? this.#blocks.slice(0, -1) : []
    for await (const block of blocksFrom(handle, kept.at(-1)?.end ?? 0, size)) kept.push(block)
    this.#file = ino
    this.#blocks = kept
    return kept
  }
}
