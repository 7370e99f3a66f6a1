import { stat } from 'node:fs/promises'
import { describePdf } from '../../../engines/qpdf.ts'
import { MediaprocError } from '../../../errors.ts'
import { MAX_DRAWING_DEPTH, MAX_RESOURCES } from './page-facts.ts'

type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
type Dictionary = { [key: string]: Json }

/** The structure that qpdf reads from a file written by another library. */
export interface SecondReading {
  isEncrypted: boolean
  /** Resources of each page by path, with their description; see `PageFacts`. */
  pages: ReadonlyArray<ReadonlyMap<string, string>>
  /** References of resources to objects missing from the file, and images without data: `page 2: /Font/F1`. */
  unresolved: readonly string[]
}

/** Larger files are not copied into qpdf's memory, which takes three times their size; in bytes. */
export const SECOND_READER_BYTES = 16 * 1024 * 1024

/** Files with more objects are not read from disk either: their description takes about 1 kB of memory per object. */
export const SECOND_READER_OBJECTS = 50_000

/** One more than for the sources, whose pages may have become form XObjects. */
const MAX_DEPTH = MAX_DRAWING_DEPTH + 1

/** Maximum depth of the page tree. */
const MAX_TREE_DEPTH = 100

/** Only a tree with loops has more nodes. */
const MAX_TREE_NODES = 1_000_000

/**
 * Reads the structure of a PDF with qpdf, without stream data.
 * @param file its bytes, or its path: qpdf then reads it from disk
 * @throws MediaprocError PROCESSING_FAILED when qpdf cannot read it
 */
export async function readWithQpdf(file: Uint8Array | string, password: string): Promise<SecondReading> {
  const { qpdf, encrypt } = JSON.parse(await describePdf(file, password)) as {
    qpdf: [unknown, Dictionary]
    encrypt: { encrypted: boolean }
  }
  return { isEncrypted: encrypt.encrypted, ...new PageReader(qpdf[1]).read() }
}

/**
 * Reads a PDF written by another program (LibreOffice, Chromium) with qpdf.
 * @throws PROCESSING_FAILED when it has no pages, or pages refer to fonts or images that are missing
 */
export async function confirmPdf(file: Uint8Array | string): Promise<void> {
  const size = typeof file === 'string' ? (await stat(file)).size : file.length
  if (size > SECOND_READER_BYTES) return
  const { pages, unresolved } = await readWithQpdf(file, '')
  if (pages.length === 0) throw new MediaprocError('PROCESSING_FAILED', 'The written PDF has no pages')
  if (unresolved.length === 0) return
  throw new MediaprocError('PROCESSING_FAILED', 'Fonts or pictures are missing in the written PDF', {
    detail: unresolved.slice(0, 20).join('\n'),
  })
}

/** Follows the page tree of qpdf's JSON (https://qpdf.readthedocs.io/en/stable/json.html). */
class PageReader {
  readonly #objects: Dictionary
  #nodes = 0
  readonly #known = new Map<string, { found: ReadonlyMap<string, string>; missing: readonly string[] }>()

  constructor(objects: Dictionary) {
    this.#objects = objects
  }

  read(): Pick<SecondReading, 'pages' | 'unresolved'> {
    const trailer = this.#dictionary((this.#objects.trailer as Dictionary).value!)
    const root = this.#dictionary(trailer['/Root']!)
    const pages: ReadonlyMap<string, string>[] = []
    const unresolved: string[] = []
    this.#visit(root['/Pages']!, undefined, 0, (resources) => {
      const { found, missing } = this.#resources(resources)
      pages.push(found)
      unresolved.push(...missing.map((path) => `page ${pages.length}: ${path}`))
    })
    return { pages, unresolved }
  }

  #visit(node: Json, above: Json | undefined, depth: number, onPage: (resources: Json | undefined) => void): void {
    this.#nodes += 1
    if (this.#nodes > MAX_TREE_NODES)
      throw new MediaprocError('PROCESSING_FAILED', 'The page tree of the PDF leads back to itself')
    const entries = this.#dictionary(node)
    const resources = entries['/Resources'] ?? above
    const kids = this.#resolved(entries['/Kids'] ?? null)
    if (!Array.isArray(kids)) onPage(resources)
    else if (depth < MAX_TREE_DEPTH) for (const kid of kids) this.#visit(kid, resources, depth + 1, onPage)
  }

  #resources(value: Json | undefined): { found: ReadonlyMap<string, string>; missing: readonly string[] } {
    const key = typeof value === 'string' ? value : ''
    const before = this.#known.get(key)
    if (before) return before
    const found = new Map<string, string>()
    const missing: string[] = []
    this.#collect(value ?? null, '', 0, found, missing)
    if (key !== '') this.#known.set(key, { found, missing })
    return { found, missing }
  }

  #collect(value: Json, path: string, depth: number, found: Map<string, string>, missing: string[]): void {
    for (const [kind, group] of Object.entries(this.#dictionary(value)))
      for (const [name, reference] of Object.entries(this.#dictionary(group))) {
        if (found.size >= MAX_RESOURCES) return
        const own = `${path}${kind}${name}`
        const entries = this.#dictionary(reference)
        if (kind === '/Font') found.set(own, this.#names(entries['/Subtype'], entries['/BaseFont']))
        else if (kind === '/XObject') {
          found.set(own, this.#names(entries['/Subtype']))
          if (depth < MAX_DEPTH) this.#collect(entries['/Resources'] ?? null, own, depth + 1, found, missing)
        } else found.set(own, '')
        const isLost = kind === '/XObject' ? !this.#isStream(reference) : this.#resolved(reference) === null
        if (isLost) {
          found.delete(own)
          missing.push(own)
        }
      }
  }

  /** Names without their slash; each may be a separate object. */
  #names(...values: Array<Json | undefined>): string {
    const names = values.map((value) => this.#resolved(value ?? null))
    return names.flatMap((name) => (typeof name === 'string' && name.length > 1 ? [name.slice(1)] : [])).join(' ')
  }

  /** A reference is a string such as `12 0 R`; text strings have the prefix `u:` or `b:`. */
  #resolved(value: Json): Json {
    if (typeof value !== 'string' || !/^\d+ \d+ R$/.test(value)) return value
    const object = this.#objects[`obj:${value}`] as { value?: Json; stream?: { dict: Json } } | undefined
    return object?.stream?.dict ?? object?.value ?? null
  }

  #isStream(value: Json): boolean {
    const object = typeof value === 'string' ? (this.#objects[`obj:${value}`] as Dictionary | undefined) : undefined
    return object?.stream !== undefined
  }

  #dictionary(value: Json): Dictionary {
    const resolved = this.#resolved(value)
    return typeof resolved === 'object' && resolved !== null && !Array.isArray(resolved) ? resolved : {}
  }
}
