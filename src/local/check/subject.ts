import { readTags, type Tags } from '../../engines/exiftool.ts'
import { isStillImage, type MediaInfo, probeMedia, videoStream } from '../../engines/ffmpeg/ffprobe.ts'
import { MediaprocError } from '../../errors.ts'
import { openAv } from '../../media/av/input/input.ts'
import type { AvSource } from '../../media/av/input/part.ts'
import { type Loudness, loudnessOf } from '../../media/av/measure/loudness.ts'
import { type MediaFile, printableName } from '../../media/file.ts'
import { decodeImage } from '../../media/image/decode/decode.ts'
import type { ImageFrame } from '../../media/image/frame.ts'
import { openPdfFile, type PdfHandle } from '../../media/pdf/document.ts'
import { once } from '../../once.ts'

/**
 * A file that is being checked: every reader opens it at most once, on the first fact that needs it. Close it when
 * done.
 */
export class Subject {
  readonly file: MediaFile
  readonly signal: AbortSignal
  /** Sentences about missing data, such as a truncated picture. */
  readonly damage: string[] = []
  #pdf: Promise<PdfHandle> | undefined

  constructor(file: MediaFile, signal: AbortSignal) {
    this.file = file
    this.signal = signal
  }

  /** The picture; its pixels are decoded only if a fact reads them. */
  readonly picture: () => Promise<ImageFrame> = once(() =>
    decodeImage(this.file, { signal: this.signal, warn: (sentence) => void this.damage.push(sentence) }),
  )

  /** The streams of a video or audio file. */
  readonly media: () => Promise<MediaInfo> = once(() => probeMedia(this.file.path, { signal: this.signal }))

  /** The file as a source of measurements, with its duration measured if the header does not state it. */
  readonly source: () => Promise<AvSource> = once(async () => {
    const info = await this.media()
    const kind = videoStream(info) && !isStillImage(info) ? 'video' : 'audio'
    return openAv(this.file, kind, this.signal, (sentence) => void this.damage.push(sentence))
  })

  readonly loudness: () => Promise<Loudness> = once(async () => loudnessOf(await this.source(), [], this.signal))

  /** All descriptive tags, by exiftool. @throws MediaprocError ENGINE_UNAVAILABLE */
  readonly tags: () => Promise<Tags> = once(async () => {
    const [tags = {}] = await readTags([this.file.path], { scope: 'descriptive', signal: this.signal })
    return tags
  })

  /** The document, possibly locked: only its encryption can be read then. */
  pdf(): Promise<PdfHandle> {
    this.#pdf ??= openPdfFile(this.file, { requireUnlocked: false })
    return this.#pdf
  }

  /** The document, with its content readable. @throws MediaprocError PASSWORD_PROTECTED */
  async unlockedPdf(): Promise<PdfHandle> {
    const document = await this.pdf()
    if (document.pdf.needsPassword() && document.pdf.authenticatePassword('') === 0)
      throw new MediaprocError('PASSWORD_PROTECTED', `${printableName(this.file.name)} needs a password`, {
        hint: 'Only its size, type and encryption can be checked.',
      })
    return document
  }

  async close(): Promise<void> {
    const document = await this.#pdf?.catch(() => undefined)
    document?.close()
  }
}
