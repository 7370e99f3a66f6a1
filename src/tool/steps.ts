import type { AvPart, AvSource } from '../media/av/input/part.ts'
import type { MediaFile } from '../media/file.ts'
import type { DecodeOptions } from '../media/image/decode/decode.ts'
import type { Encoded } from '../media/image/encode/encode.ts'
import type { ImageFrame } from '../media/image/frame.ts'
import type { OpenPdfOptions, PdfHandle } from '../media/pdf/document.ts'
import type { OutputFile, ProduceContext, StepContext } from './job.ts'

type Awaitable<T> = T | Promise<T>
type Report = Record<string, unknown>

/**
 * What a step makes that does not turn one frame, graph or document into one: several of one, one of several, figures. What
 * is open is encoded, saved and closed by the runner, as it comes, so that one at a time is in memory.
 */
export interface Made {
  /** One picture. In a pipeline it stays open for the next step. */
  frame?: ImageFrame
  /** What the picture is called; by default as the declaration names outputs. */
  name?: string
  /** The field of the HTTP answer that gives the picture's address; see OutputFile. */
  field?: OutputFile['field']
  /** Several pictures. The name is complete, with its extension. */
  frames?: AsyncIterable<{ name: string; frame: ImageFrame; field?: OutputFile['field'] }>
  /** One recording of several: what one ffmpeg command is to make of the source and the further inputs of the part. */
  recording?: { source: AvSource; part: AvPart }
  /** PDFs, each closed once it is saved. */
  documents?: AsyncIterable<{ name?: string; document: PdfHandle }>
  /** Finished files: a path that `output` gave, or their content. */
  files?: Iterable<OutputFile | MadeFile>
  /** The files are one set of this name. */
  set?: string
  /** The answer's own fields; `encoded` are the pictures as they were written, in their order. */
  report?: Report | ((encoded: readonly Encoded[]) => Report)
  /** What a shell prints instead of a report, one per line. */
  lines?: readonly string[]
}

/** A file that the runner writes: bytes or text, or a copy of the file at `from`. */
export type MadeFile = { name?: string; type: string; field?: OutputFile['field'] } & (
  | { data: Uint8Array | string }
  | { from: string }
)

/** A picture that a step may look at: a file, or what the step before left open. */
export interface PictureInput {
  /** Its name for people. */
  readonly name: string
  /** Decodes it; without options as the step's `decode` says. @throws INVALID_FILE with its name */
  open(options?: DecodeOptions): Promise<ImageFrame>
  /** Does work on it: what turns out to be damaged only while computing is told under its name. */
  named<T>(work: () => Awaitable<T>): Promise<T>
  /** The file, for what concerns its bytes; a picture that is open is written first. */
  file(): Promise<MediaFile>
}

/** A picture that was changed, and what the answer says of the change: of several pages, that of the first. */
export interface Transformed {
  frame: ImageFrame
  report: Report
}

/** The code of an image tool: `transform`, which pipelines fuse, or `produce` for every other number of pictures. */
export interface ImageStep<Settings = Record<string, unknown>> {
  /** How inputs are to be decoded, where the tool cares. */
  decode?(settings: Settings): DecodeOptions
  /** Pixels in, pixels out; encode options are set with `frame.withTarget`. */
  transform?(frame: ImageFrame, settings: Settings, context: StepContext): Awaitable<ImageFrame | Transformed>
  /** Of a transform: what the answer says beside the file, as far as the encoded picture tells it. */
  report?(frame: ImageFrame, encoded: Encoded, settings: Settings): Report | undefined
  /** Several pictures to one, one to several, one to figures, none to one. */
  produce?(pictures: readonly PictureInput[], settings: Settings, context: ProduceContext): Awaitable<Made>
}

/** The code of a video or audio tool. */
export interface AvStep<Settings = Record<string, unknown>> {
  kind: 'video' | 'audio'
  /** Of a `produce`: what each input must have, by its place; `kind` by default. A `file` is not looked into. */
  kinds?: readonly ('video' | 'audio' | 'file')[]
  /** What the tool contributes to the one ffmpeg command. */
  plan?(source: AvSource, settings: Settings, context: StepContext): Awaitable<AvPart>
  /**
   * Whether `plan` reads the source itself (a first pass): what the steps before make of it is then written first, as a
   * measurement of anything else would be wrong.
   */
  measures?(settings: Settings, source: AvSource): boolean
  /** Whatever is not one file of one: frames, pictures, parts. */
  produce?(sources: readonly AvSource[], settings: Settings, context: ProduceContext): Awaitable<Made>
}

/** The code of a PDF tool. */
export interface PdfStep<Settings = Record<string, unknown>> {
  /** How the input is to be opened, where the tool cares (a password, a damaged file). */
  open?(settings: Settings): OpenPdfOptions
  /** Edits an open document and gives it back, or gives another one. */
  edit?(document: PdfHandle, settings: Settings, context: StepContext): Awaitable<PdfHandle>
  /** Several documents to one, one to several, one to pictures, text or figures. */
  produce?(documents: readonly PdfHandle[], settings: Settings, context: PdfContext): Awaitable<Made>
}

/** The files that the documents were opened from, in their order, for what concerns bytes and names. */
export type PdfContext = ProduceContext & { files: readonly MediaFile[] }
