import { readFile, rm } from 'node:fs/promises'
import { loadMupdf, type PDFDocument, takeMupdfMessages, withMupdfErrors } from '../../engines/mupdf.ts'
import { copyEncryption, linearize, rewriteFile } from '../../engines/qpdf.ts'
import { MediaprocError } from '../../errors.ts'
import { WHOLE_FILE_LIMIT } from './open/source.ts'
import { EVERYTHING } from './structure/permissions.ts'
import type { ShownPages } from './verify/compare-pages.ts'
import { factsWithText } from './verify/page-facts.ts'
import { type Expectation, readBack, readBackWithQpdf } from './verify/read-back.ts'
import { type EncryptionSource, encryptedLike, encryptionOf } from './write/encryption.ts'
import type { SaveOptions } from './write/save-options.ts'
import { streamDocument } from './write/stream-document.ts'

export interface HandleOptions {
  password?: string
  encryption?: EncryptionSource | undefined
  /** How many pages the page tree of the file declares, where that is known. */
  declaredPages?: number | undefined
  /** It was put together from a document that was mended. */
  isDamaged?: boolean
  /** Size of the files that it was read from, in bytes. */
  sourceBytes?: number
  release?: () => void
}

/**
 * An open PDF: the medium between PDF steps. Steps change `pdf` in place or set save options in `target`; nothing is written
 * before `save`. Close it when done: the document lives in WebAssembly memory, which no garbage collector watches.
 */
export class PdfHandle {
  readonly pdf: PDFDocument
  /** The password that opened it, '' when none was needed. */
  readonly password: string
  readonly target: SaveOptions = {}
  /** Size of the files that it was read or put together from, in bytes; 0 for a new one. */
  readonly sourceBytes: number
  /** How many pages the page tree of the file declared (`/Count`) before it was mended. */
  readonly declaredPages: number | undefined
  /** What its pages show of the sources, which `save` looks for; undefined: not recorded, or changed on purpose. */
  shown: ShownPages | undefined
  /** What `save` found in the file that readers may differ about. */
  readonly warnings: string[] = []
  readonly #encryption: EncryptionSource | undefined
  readonly #release: () => void
  readonly #expectations = new Map<string, Expectation>()
  readonly #checks: Array<(bytes: Uint8Array, password: string) => Promise<void>> = []
  readonly #wasRepaired: boolean
  #closed = false

  constructor(pdf: PDFDocument, options: HandleOptions = {}) {
    this.pdf = pdf
    this.password = options.password ?? ''
    this.sourceBytes = options.sourceBytes ?? 0
    this.#encryption = options.encryption
    this.declaredPages = options.declaredPages
    this.#release = options.release ?? (() => {})
    this.#wasRepaired = pdf.wasRepaired() || (options.isDamaged ?? false)
  }

  /** Whether it was damaged, and mended when it was opened. */
  get wasRepaired(): boolean {
    return this.#wasRepaired
  }

  get pageCount(): number {
    return this.pdf.countPages()
  }

  /** Whether it is written to disk piece by piece, see `saveTo`. */
  get isLarge(): boolean {
    return this.sourceBytes > WHOLE_FILE_LIMIT
  }

  /** Whether the file it was read from is encrypted (also with an owner password only, which asks nothing on opening). */
  get isEncrypted(): boolean {
    return this.#encryption !== undefined || this.pdf.getTrailer().get('Encrypt').isDictionary()
  }

  /** Notes what the pages have now, so that `save` can tell whether the file still has it. Call it before any change. */
  recordPages(): void {
    this.shown = withMupdfErrors('PROCESSING_FAILED', 'The pages cannot be read', () =>
      factsWithText(this.pdf).map((facts) => [{ at: '', facts }]),
    )
  }

  /** Text may go on purpose: `save` compares everything but the text. */
  forgetText(): void {
    this.shown = this.shown?.map((placed) =>
      placed.map(({ at, facts: { characters: _, ...facts } }) => ({ at, facts })),
    )
  }

  /** What a document assembled from this one needs to carry its encryption on; undefined when there is none. */
  encryptionSource(): EncryptionSource | undefined {
    if (this.#encryption || !this.isEncrypted) return this.#encryption
    return { bytes: encryptedLike(this.pdf), password: this.password }
  }

  /** What must be so in the saved file, else `save` fails; the same words again take the place of the former. */
  expect(what: string, holds: Expectation): void {
    this.#expectations.set(what, holds)
  }

  /** Runs a check on the bytes that `save` has made, before they are given out. */
  checkSaved(check: (bytes: Uint8Array, password: string) => Promise<void>): void {
    this.#checks.push(check)
  }

  /**
   * Refuses a document that the library mended after it was opened, at which it forgets, in silence, what was changed before.
   */
  checkUnharmed(): void {
    if (this.#wasRepaired || !this.pdf.wasRepaired()) return
    throw new MediaprocError('PROCESSING_FAILED', 'The PDF is damaged, and changes to it were lost', {
      hint: { shell: 'Try mediaproc pdf repair-pdf FILE first.', http: 'Try the tool repair-pdf first.' },
      detail: takeMupdfMessages(),
    })
  }

  /**
   * The document as a file: unreachable objects dropped, streams compressed, object streams, the first half of its ID
   * kept. Encryption as `target` says, else the source's own. The file is read back, by MuPDF and by qpdf, before it is given out.
   */
  async save(): Promise<Uint8Array> {
    const { encryption, compress, linearize: ordered } = this.target
    // These belong together: object streams without compression, or with numbers left free, come out with wrong entries
    // in the cross-reference table (1.28.1; qpdf --check: "unexpected xref entry type").
    const settings: Record<string, string> = {
      garbage: compress ? 'deduplicate' : 'compact',
      compress: 'yes',
      objstms: 'yes',
      'regenerate-id': 'no',
      encrypt: 'keep',
    }
    if (encryption === 'none') settings.encrypt = 'none'
    else if (encryption) {
      settings.encrypt = 'aes-256'
      settings['user-password'] = encryption.userPassword
      settings['owner-password'] = encryption.ownerPassword
      settings.permissions = String(encryption.permissions ?? EVERYTHING)
    }
    let bytes = this.#write(settings)
    this.checkUnharmed()
    if (ordered) bytes = await linearize(bytes, this.#openingPassword())
    if (this.#encryption && encryption === undefined) {
      bytes = await copyEncryption(bytes, this.#encryption.bytes, this.#encryption.password)
      if (ordered) bytes = await linearize(bytes, this.#encryption.password)
    }
    const password = this.#encryption && encryption === undefined ? this.#encryption.password : this.#openingPassword()
    await this.#verify(bytes, password)
    for (const check of this.#checks) await check(bytes, password)
    return bytes
  }

  /**
   * The same as `save`, straight to the file `path`: slower (what is encrypted or ordered is written twice), and no copy of the
   * document is held in memory.
   */
  async saveTo(path: string): Promise<void> {
    const { encryption: options, compress = false, linearize: ordered } = this.target
    const encryption = options === undefined ? this.encryptionSource() : await encryptionOf(options)
    const isPlain = encryption === undefined && !ordered
    const first = isPlain ? path : `${path}.plain`
    try {
      withMupdfErrors('PROCESSING_FAILED', 'The PDF could not be written', () =>
        streamDocument(this.pdf, first, { deduplicate: compress }),
      )
      this.checkUnharmed()
      if (!isPlain) await rewriteFile(first, path, { encryption, linearize: ordered })
    } finally {
      if (!isPlain) await rm(first, { force: true })
    }
    const password = encryption?.password ?? ''
    await this.#verify(path, password)
    if (this.#checks.length === 0) return
    const bytes = await readFile(path)
    for (const check of this.#checks) await check(bytes, password)
  }

  /** Reads what was written, by MuPDF and by qpdf, and compares it with what was asked for. */
  async #verify(file: Uint8Array | string, password: string): Promise<void> {
    const { encryption } = this.target
    const written = {
      file,
      password,
      pageCount: this.pageCount,
      objectCount: this.pdf.countObjects(),
      isEncrypted: encryption === undefined ? this.isEncrypted : encryption !== 'none',
      permissions: typeof encryption === 'object' ? (encryption.permissions ?? EVERYTHING) : undefined,
      expectations: this.#expectations,
      shown: this.shown,
      isDamaged: this.#wasRepaired,
    }
    readBack(await loadMupdf(), written)
    this.warnings.push(...(await readBackWithQpdf(written)))
  }

  /** The password of what `#write` has just written. */
  #openingPassword(): string {
    const { encryption } = this.target
    return typeof encryption === 'object' ? encryption.userPassword : this.password
  }

  #write(settings: Record<string, string>): Uint8Array {
    return withMupdfErrors('PROCESSING_FAILED', 'The PDF could not be written', () => {
      const buffer = this.pdf.saveToBuffer(settings)
      const bytes = buffer.asUint8Array().slice()
      buffer.destroy()
      return bytes
    })
  }

  /** Frees the memory; may be called twice. */
  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.pdf.destroy()
    this.#release()
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    // The default would print the password.
    return `PdfHandle { ${this.#closed ? 'closed' : `${this.pageCount} pages`} }`
  }
}

/** The error for a document whose structure is broken; `what` ends the sentence. */
export function damagedPdf(name: string, what: string): MediaprocError {
  return new MediaprocError('INVALID_FILE', `${name} is damaged: ${what}`, {
    hint: { shell: 'Try mediaproc pdf repair-pdf FILE first.', http: 'Try the tool repair-pdf first.' },
    detail: takeMupdfMessages(),
  })
}
