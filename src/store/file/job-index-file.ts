import { type FileHandle, open, readFile } from 'node:fs/promises'
import { SLOT } from './job-slots.ts'

/** Tells the file from others, from later versions, and from those of machines with another order of bytes. */
const MARK = 'mediaproc jobs 1'

/** The two files of an index: slots behind a header, and the names that slots mean by numbers, a line each. */
export class JobIndexFile {
  readonly #slots: FileHandle
  readonly #names: FileHandle
  readonly #dirty = new Map<number, Uint8Array>()
  #writing: Promise<void> = Promise.resolve()

  private constructor(slots: FileHandle, names: FileHandle) {
    this.#slots = slots
    this.#names = names
  }

  /** Opens the files, and gives what is in them; begins anew where they are none of ours. */
  static async open(path: string): Promise<{ file: JobIndexFile; slots: Uint8Array; names: string[] }> {
    const bytes = await readFile(path).catch(() => Buffer.alloc(0))
    const isKnown = bytes.subarray(0, SLOT).equals(header())
    const slots = await open(path, isKnown ? 'r+' : 'w', 0o600)
    const nameFile = await open(`${path}.names`, isKnown ? 'a+' : 'w+', 0o600)
    if (!isKnown) await slots.write(header(), 0, SLOT, 0)
    const { names, length } = parseNames(await nameFile.readFile('utf8'))
    await nameFile.truncate(length)
    const file = new JobIndexFile(slots, nameFile)
    return { file, slots: isKnown ? bytes.subarray(SLOT) : new Uint8Array(0), names }
  }

  /** Adds a name; slots that are put later are written after it. */
  addName(name: string): void {
    this.#next(() => this.#names.appendFile(`${JSON.stringify(name)}\n`))
  }

  /** Writes a slot soon, as it is now. */
  put(slot: number, bytes: Uint8Array): void {
    const isFirst = this.#dirty.size === 0
    this.#dirty.set(slot, bytes.slice())
    if (isFirst) this.#next(() => this.#writeDirty())
  }

  async #writeDirty(): Promise<void> {
    for (const [slot, bytes] of this.#dirty) {
      this.#dirty.delete(slot)
      await this.#slots.write(bytes, 0, SLOT, (slot + 1) * SLOT)
    }
  }

  #next(work: () => Promise<unknown>): void {
    // On a disk without room the job is not in the file, so that the next start reads its record.
    this.#writing = this.#writing.then(work).then(
      () => {},
      () => {},
    )
  }

  /** Writes what is waiting. */
  async close(): Promise<void> {
    for (let last: unknown; last !== this.#writing; ) {
      last = this.#writing
      await last
    }
    await this.#slots.close()
    await this.#names.close()
  }
}

function header(): Uint8Array {
  const bytes = new Uint8Array(SLOT)
  bytes.set(Buffer.from(MARK))
  new Float64Array(bytes.buffer)[SLOT / 8 - 1] = Math.PI
  return bytes
}

/** The names of a file of lines, and the length of it that can be read: a crash may have cut the last one off. */
function parseNames(text: string): { names: string[]; length: number } {
  const names: string[] = []
  let length = 0
  for (const line of text.split('\n').slice(0, -1)) {
    try {
      names.push(JSON.parse(line) as string)
    } catch {
      break
    }
    length += Buffer.byteLength(line) + 1
  }
  return { names, length }
}
