import type { Readable } from 'node:stream'
import type { Entry, ZipFile } from 'yauzl'
import { readMarkup } from './markup.ts'

/** The parts of an Office Open XML file ([ECMA-376] part 2), read as streams. */
export class Package {
  readonly #archive: ZipFile
  readonly #parts: ReadonlyMap<string, Entry>

  private constructor(archive: ZipFile, parts: ReadonlyMap<string, Entry>) {
    this.#archive = archive
    this.#parts = parts
  }

  /** @throws Error if it is not a complete ZIP archive */
  static async open(path: string): Promise<Package> {
    const { default: yauzl } = await import('yauzl')
    const archive = await new Promise<ZipFile>((resolve, reject) =>
      yauzl.open(path, { lazyEntries: true, autoClose: false }, (error, zip) => (error ? reject(error) : resolve(zip))),
    )
    const parts = new Map<string, Entry>()
    try {
      await new Promise<void>((resolve, reject) => {
        archive.on('error', reject)
        archive.on('end', resolve)
        archive.on('entry', (entry: Entry) => {
          parts.set(partName(entry.fileName), entry)
          archive.readEntry()
        })
        archive.readEntry()
      })
    } catch (error) {
      archive.close()
      throw error
    }
    return new Package(archive, parts)
  }

  has(name: string): boolean {
    return this.#parts.has(partName(name))
  }

  /** The size of a part in bytes. */
  size(name: string): number {
    return this.#parts.get(partName(name))?.uncompressedSize ?? 0
  }

  /** The bytes of a part. @throws Error if there is no part with this name */
  async stream(name: string): Promise<Readable> {
    const entry = this.#parts.get(partName(name))
    if (!entry) throw new Error(`there is no ${name}`)
    return new Promise((resolve, reject) =>
      this.#archive.openReadStream(entry, (error, stream) => (error ? reject(error) : resolve(stream as Readable))),
    )
  }

  /** The relationships of a part, by id: the last segment of the type, and the target part. */
  async references(name: string): Promise<Map<string, { type: string; part: string }>> {
    const [folder, base] = split(name)
    const found = new Map<string, { type: string; part: string }>()
    const list = `${folder}_rels/${base}.rels`
    if (!this.has(list)) return found
    await readMarkup(await this.stream(list), {
      open: (tag, { Id, Type, Target }) => {
        if (tag !== 'Relationship' || Id === undefined || Target === undefined) return
        found.set(Id, { type: Type?.split('/').at(-1) ?? '', part: resolved(folder, Target) })
      },
    })
    return found
  }

  close(): void {
    this.#archive.close()
  }
}

/** Part names are case-insensitive. */
const partName = (name: string): string => name.replace(/\\/g, '/').replace(/^\//, '').toLowerCase()

const split = (name: string): [folder: string, base: string] => {
  const slash = name.lastIndexOf('/') + 1
  return [name.slice(0, slash), name.slice(slash)]
}

/** A reference is relative to the folder of its part. */
function resolved(folder: string, target: string): string {
  if (target.startsWith('/')) return target.slice(1)
  const steps: string[] = []
  for (const step of `${folder}${target}`.split('/'))
    if (step === '..') steps.pop()
    else if (step !== '.' && step !== '') steps.push(step)
  return steps.join('/')
}
