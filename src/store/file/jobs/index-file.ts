import { type FileHandle, open, readFile } from 'node:fs/promises'
import { SLOT } from './slots.ts'

/** Tells the file from others, from later versions, and from those of machines with another order of bytes. */
const MARK = 'mediaproc jobs 1'

/** What changes within this time is written together, milliseconds. A crash before that costs the next start a look. */
const GATHER_MS = 50

/** The two files of an index: slots behind a header, and the names that slots mean by numbers, a line each. */
export class JobIndexFile {
  readonly #slots: FileHandle
  readonly #names: FileHandle
  readonly #dirty = new Map<number, Uint8Array>()
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()

  private constructor(slots: FileHandle, names: FileHandle) {
    this.#slots = slots
    this.#names = names
  }

  /** Opens the files, and gives what is in them; starts over where they are none of ours. */
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
    this.#dirty.set(slot, bytes.slice())
    this.#timer ??= setTimeout(() => this.#writeGathered(), GATHER_MS).unref()
  }

  #writeGathered(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const gathered = [...this.#dirty].sort(([one], [other]) => one - other)
    this.#dirty.clear()
    // Jobs that end one after the other mostly have slots side by side.
    let run: Uint8Array[] = []
    for (const [index, [slot, bytes]] of gathered.entries()) {
      run.push(bytes)
      if (gathered[index + 1]?.[0] === slot + 1) continue
      const [data, place] = [Buffer.concat(run), (slot + 2 - run.length) * SLOT]
      this.#next(() => this.#slots.write(data, 0, data.length, place))
      run = []
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
    this.#writeGathered()
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
