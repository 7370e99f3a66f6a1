import { loadMupdf, type PDFDocument, takeMupdfMessages, withMupdfErrors } from '../../engines/mupdf.ts'
import { copyEncryption, linearize } from '../../engines/qpdf.ts'
import { MediaprocError } from '../../errors.ts'
import { type Expectation, readBack } from './read-back.ts'

/** What the saved file shall be; a step of a chain sets it, `save` obeys once at the end. */
export interface SaveWishes {
  /** Passwords to encrypt with (AES-256, revision 6), or 'none' to write plain; absent keeps what the source had. */
  encryption?: { userPassword: string; ownerPassword: string } | 'none'
  /** Also join equal objects: slower, smaller. */
  compress?: boolean
  /** Order for fast web view. */
  linearize?: boolean
}

/** Where the encryption of a document that was assembled anew comes from. */
export interface EncryptionSource {
  /** Any document encrypted that way. */
  bytes: Uint8Array
  password: string
}

/**
 * An open PDF: the medium between PDF steps. Steps change `pdf` in place or set wishes in `target`; nothing is written
 * before `save`. Close it when done: the document lives in WebAssembly memory, which no garbage collector watches.
 */
export class PdfHandle {
  readonly pdf: PDFDocument
  /** The password that opened it, '' when none was needed. */
  readonly password: string
  readonly target: SaveWishes = {}
  readonly #encryption: EncryptionSource | undefined
  readonly #release: () => void
  readonly #expectations = new Map<string, Expectation>()
  readonly #checks: Array<(bytes: Uint8Array, password: string) => Promise<void>> = []
  readonly #wasRepaired: boolean
  #closed = false

  constructor(
    pdf: PDFDocument,
    options: { password?: string; encryption?: EncryptionSource | undefined; release?: () => void } = {},
  ) {
    this.pdf = pdf
    this.password = options.password ?? ''
    this.#encryption = options.encryption
    this.#release = options.release ?? (() => {})
    this.#wasRepaired = pdf.wasRepaired()
  }

  /** Whether it was damaged, and mended when it was opened. */
  get wasRepaired(): boolean {
    return this.#wasRepaired
  }

  get pageCount(): number {
    return this.pdf.countPages()
  }

  /** Whether the file it was read from is encrypted (also with an owner password only, which asks nothing on opening). */
  get isEncrypted(): boolean {
    return this.#encryption !== undefined || this.pdf.getTrailer().get('Encrypt').isDictionary()
  }

  /** What a document assembled from this one needs to carry its encryption on; undefined when there is none. */
  encryptionSource(): EncryptionSource | undefined {
    if (this.#encryption || !this.isEncrypted) return this.#encryption
    return { bytes: this.#write({ garbage: 'yes', encrypt: 'keep' }), password: this.password }
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
      hint: 'Try mediaproc pdf repair-pdf FILE first.',
      detail: takeMupdfMessages(),
    })
  }

  /**
   * The document as a file: unreachable objects dropped, streams compressed, object streams, the first half of its ID
   * kept. Encryption as `target` says, else the source's own. The file is read back before it is given out.
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
    }
    let bytes = this.#write(settings)
    this.checkUnharmed()
    if (ordered) bytes = await linearize(bytes, this.#openingPassword())
    if (this.#encryption && encryption === undefined) {
      bytes = await copyEncryption(bytes, this.#encryption.bytes, this.#encryption.password)
      if (ordered) bytes = await linearize(bytes, this.#encryption.password)
    }
    const password = this.#encryption && encryption === undefined ? this.#encryption.password : this.#openingPassword()
    readBack(await loadMupdf(), {
      bytes,
      password,
      pageCount: this.pageCount,
      isEncrypted: encryption === undefined ? this.isEncrypted : encryption !== 'none',
      expectations: this.#expectations,
    })
    for (const check of this.#checks) await check(bytes, password)
    return bytes
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
    hint: 'Try mediaproc pdf repair-pdf FILE first.',
    detail: takeMupdfMessages(),
  })
}
