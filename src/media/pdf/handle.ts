import { readFile, rm } from 'node:fs/promises'
import { loadMupdf, type PDFDocument, takeMupdfMessages, withMupdfErrors } from '../../engines/mupdf.ts'
import { copyEncryption, linearize, prepareQpdf, rewriteFile } from '../../engines/qpdf.ts'
import { MediaprocError } from '../../errors.ts'
import { WHOLE_FILE_LIMIT } from './open/source.ts'
import { EVERYTHING } from './structure/permissions.ts'
import type { ShownPages } from './verify/compare-pages.ts'
import { factsWithText } from './verify/page-facts.ts'
import { type Expectation, readBack, readBackWithQpdf } from './verify/read-back.ts'
import { type EncryptionSource, encryptedLike, encryptionOf } from './write/encryption.ts'
import { mergeEqualObjects } from './write/merge-equal.ts'
import type { SaveOptions } from './write/save-options.ts'
import { streamDocument } from './write/stream-document.ts'

export interface HandleOptions {
  password?: string
  encryption?: EncryptionSource | undefined
  /** The number of pages declared in the file's page tree, if known. */
  declaredPages?: number | undefined
  /** It was assembled from a document that was repaired. */
  isDamaged?: boolean
  /** Total size of the source files, in bytes. */
  sourceBytes?: number
  release?: () => void
}

/**
 * An open PDF, passed between PDF steps. Steps change `pdf` in place or set save options in `target`; nothing is
 * written before `save`. Close it when done: the document is in WebAssembly memory, which is not garbage-collected.
 */
export class PdfHandle {
  readonly pdf: PDFDocument
  /** The password used to open it, '' if none was needed. */
  readonly password: string
  readonly target: SaveOptions = {}
  /** Total size of the source files, in bytes; 0 for a new document. */
  readonly sourceBytes: number
  /** The number of pages declared in the page tree (`/Count`) before repair. */
  readonly declaredPages: number | undefined
  /** The source content shown on its pages, which `save` verifies; undefined: not recorded, or changed on purpose. */
  shown: ShownPages | undefined
  /** Warnings that `save` found: content that readers may interpret differently. */
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

  /** Whether the document was damaged, and repaired when it was opened. */
  get wasRepaired(): boolean {
    return this.#wasRepaired
  }

  get pageCount(): number {
    return this.pdf.countPages()
  }

  /** Whether the document is written to disk in chunks, see `saveTo`. */
  get isLarge(): boolean {
    return this.sourceBytes > WHOLE_FILE_LIMIT
  }

  /** Whether the source file is encrypted (also with only an owner password, which is not needed for opening). */
  get isEncrypted(): boolean {
    return this.#encryption !== undefined || this.pdf.getTrailer().get('Encrypt').isDictionary()
  }

  /**
   * Records the content of the pages, so that `save` can verify that the file still has it. Call it before any change.
   */
  recordPages(): void {
    // The second reader is compiled while this thread reads the pages.
    prepareQpdf()
    this.shown = withMupdfErrors('PROCESSING_FAILED', 'The pages cannot be read', () =>
      factsWithText(this.pdf).map((facts) => [{ at: '', facts }]),
    )
  }

  /** Allows text to disappear: `save` compares everything but the text. */
  forgetText(): void {
    this.shown = this.shown?.map((placed) =>
      placed.map(({ at, facts: { characters: _, ...facts } }) => ({ at, facts })),
    )
  }

  /** Data for assembling a document with the same encryption; undefined if there is none. */
  encryptionSource(): EncryptionSource | undefined {
    if (this.#encryption || !this.isEncrypted) return this.#encryption
    return { bytes: encryptedLike(this.pdf), password: this.password }
  }

  /**
   * Adds a condition that the saved file must meet, otherwise `save` fails; the same `what` replaces an earlier
   * condition.
   */
  expect(what: string, holds: Expectation): void {
    this.#expectations.set(what, holds)
  }

  /** Runs a check on the bytes written by `save`, before they are returned. */
  checkSaved(check: (bytes: Uint8Array, password: string) => Promise<void>): void {
    this.#checks.push(check)
  }

  /**
   * Rejects a document that the library repaired after it was opened, because it then silently discards earlier
   * changes.
   */
  checkUnharmed(): void {
    if (this.#wasRepaired || !this.pdf.wasRepaired()) return
    throw new MediaprocError('PROCESSING_FAILED', 'The PDF is damaged, and changes to it were lost', {
      hint: { shell: 'Try mediaproc pdf repair-pdf FILE first.', http: 'Try the tool repair-pdf first.' },
      detail: takeMupdfMessages(),
    })
  }

  /**
   * Returns the document as a file: unreachable objects dropped, streams compressed, object streams, the first half of
   * its ID kept. Encryption as specified in `target`, otherwise the source's own. The file is verified with MuPDF and
   * qpdf before it is returned.
   */
  async save(): Promise<Uint8Array> {
    const { encryption, compress, linearize: ordered } = this.target
    // These options must be combined: object streams without compression, or with unused object numbers, produce wrong
    // entries in the cross-reference table (1.28.1; qpdf --check: "unexpected xref entry type").
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
    if (compress) mergeEqualObjects(this.pdf)
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
   * Like `save`, but directly to the file `path`: slower (encrypted or linearized files are written twice), and no copy
   * of the document is held in memory.
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

  /** Verifies the written file with MuPDF and qpdf, and compares it with the request. */
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

  /** The password of the file that `#write` has just written. */
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
    // The default output would include the password.
    return `PdfHandle { ${this.#closed ? 'closed' : `${this.pageCount} pages`} }`
  }
}

/** The error for a document with a broken structure; `what` completes the sentence. */
export function damagedPdf(name: string, what: string): MediaprocError {
  return new MediaprocError('INVALID_FILE', `${name} is damaged: ${what}`, {
    hint: { shell: 'Try mediaproc pdf repair-pdf FILE first.', http: 'Try the tool repair-pdf first.' },
    detail: takeMupdfMessages(),
  })
}
