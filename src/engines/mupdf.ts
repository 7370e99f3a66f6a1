import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import type { Shade } from 'mupdf'
import { MediaprocError } from '../errors.ts'
import { limitExceeded } from '../limit-exceeded.ts'
import { firstOf } from '../lists.ts'
import type { Engine, EngineStatus } from './engine.ts'

export type {
  Device,
  Document,
  Font,
  Image,
  Matrix,
  Path,
  PDFAnnotation,
  PDFDocument,
  PDFGraftMap,
  PDFObject,
  PDFPage,
  PDFWidget,
  Pixmap,
  Quad,
  Rect,
} from 'mupdf'

export type Mupdf = typeof import('mupdf')

/** Maximum number of messages kept for an error's detail; the library can print thousands for one damaged file. */
const KEPT_MESSAGES = 20

/**
 * How V8 compiles the library: functions are optimised after as much work as V8 requires from Node 22 on (13 million;
 * with a seventh of that, a small merge took a fifth longer, for code that hardly ran), and validated on their first
 * call, as most of the 10 MB are never called. V8 reads this when the library is compiled.
 */
const COMPILATION = ['--wasm-tiering-budget=13000000', '--wasm-lazy-validation']

/** Maximum memory of the library's WebAssembly build, in bytes. */
export const LIBRARY_MEMORY = 2 ** 31

/** The library's messages when memory allocation fails. */
const OUT_OF_MEMORY = /\b(?:malloc|calloc|realloc)\b.*failed|out of memory/i

let loading: Promise<Mupdf> | undefined
let messages: string[] = []

/**
 * MuPDF compiled to WebAssembly, loaded on first use (10 MB, about 45 ms). Its calls are synchronous.
 * `get` on a null object throws: write `get('A', 'B')` for a path that can end early, not `get('A').get('B')`.
 */
export function loadMupdf(): Promise<Mupdf> {
  loading ??= load()
  return loading
}

async function load(): Promise<Mupdf> {
  for (const flag of COMPILATION) setFlagsFromString(flag)
  const library = await import('mupdf')
  // Without a log, the library writes every warning about a file to our stderr.
  library.setLog((message: string) => {
    messages.push(message)
    if (messages.length > KEPT_MESSAGES) messages.shift()
  })
  return library
}

/**
 * Marks a shading that the callback of a `Device` receives as borrowed: the library does not count this reference, but
 * would release it when the object is collected, which corrupts its memory (mupdf 1.28.1; pictures and paths are counted).
 * It is valid until the callback returns.
 */
export function borrowShade(shade: Shade): Shade {
  const { _finalizer } = shade.constructor as unknown as { _finalizer?: FinalizationRegistry<number> }
  _finalizer?.unregister(shade)
  return shade
}

/** The library's messages since the last call, as one text for an error's detail; clears them. */
export function takeMupdfMessages(): string {
  const text = messages.join('\n')
  messages = []
  return text
}

/**
 * Runs a synchronous operation with the library; its exceptions become `code` with this message and the library's
 * message as detail. Errors from the catalogue pass through.
 */
export function withMupdfErrors<Result>(
  code: 'INVALID_FILE' | 'PROCESSING_FAILED',
  sentence: string,
  work: () => Result,
): Result {
  takeMupdfMessages()
  try {
    return work()
  } catch (error) {
    if (error instanceof MediaprocError) throw error
    const said = [error instanceof Error ? error.message : String(error), takeMupdfMessages()]
    if (OUT_OF_MEMORY.test(firstOf(said)))
      throw limitExceeded(
        `The PDF needs more than the ${LIBRARY_MEMORY / 2 ** 30} GiB of memory that the PDF library can use`,
        {
          hint: 'Split the document, or join fewer files at once.',
        },
      )
    throw new MediaprocError(code, sentence, { cause: error, detail: said.filter(Boolean).join('\n') })
  }
}

/** The first frame of an exception that the library's own objects throw: `get` or `put` on a null object. */
const IN_OBJECT = /^TypeError.*\n\s+at PDFObject\./

/**
 * Converts an unexpected exception of the library to an error from the catalogue: a damaged document in which an object
 * is missing or has the wrong type. All other errors are returned unchanged.
 */
export function withoutSurprise(error: unknown, name: string): unknown {
  if (!(error instanceof Error)) return error
  const stack = error.stack ?? ''
  const isTheirs =
    (error.constructor === Error && /mupdf-wasm/.test(stack)) || (error instanceof TypeError && IN_OBJECT.test(stack))
  if (!isTheirs) return error
  return new MediaprocError('PROCESSING_FAILED', `${name} is damaged and could not be processed`, {
    hint: { shell: 'Try mediaproc pdf repair-pdf FILE first.', http: 'Try the tool repair-pdf first.' },
    cause: error,
    detail: [error.message, takeMupdfMessages()].filter(Boolean).join('\n'),
  })
}

export const mupdf: Engine = {
  id: 'mupdf',
  purpose: 'opening, editing and rendering PDF documents',
  kind: 'library',
  licence: 'AGPL-3.0-or-later',
  install: 'npm install mupdf',
  blocking: true,
  prepare: loadMupdf,
  async probe(): Promise<EngineStatus> {
    try {
      // The package exports only its entry, so its package.json is read from the same folder.
      const entry = createRequire(import.meta.url).resolve('mupdf')
      const { version } = JSON.parse(readFileSync(new URL('../package.json', pathToFileURL(entry)), 'utf8'))
      await loadMupdf()
      return { available: true, version, path: 'mupdf', source: 'package' }
    } catch (error) {
      return { available: false, warning: firstOf(String((error as Error).message).split('\n')) }
    }
  },
}
