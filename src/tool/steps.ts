import type { AvPart, AvSource } from '../media/av/input/part.ts'
import type { MediaFile } from '../media/file.ts'
import type { DecodeOptions } from '../media/image/decode/decode.ts'
import type { Encoded } from '../media/image/encode/encode.ts'
import type { ImageFrame } from '../media/image/frame.ts'
import type { OpenPdfOptions, PdfHandle } from '../media/pdf/document.ts'
import type { AnyInput, InputSpec, InputsOf } from './facts.ts'
import type { OutputFile, ProduceContext, StepContext } from './job.ts'

type Awaitable<T> = T | Promise<T>
type Report = Record<string, unknown>

/**
 * The output of a step that does not turn one frame, graph or document into one: several from one, one from several, or
 * figures. The runner encodes, saves and closes open outputs one at a time, so that only one is in memory.
 */
export interface Made {
  /** One image. In a pipeline it stays open for the next step. */
  frame?: ImageFrame
  /** The name of the image; by default as the declaration names outputs. */
  name?: string
  /** The response field with the URL of the image; see OutputFile. */
  field?: OutputFile['field']
  /** Several images. The name is complete, including the extension. */
  frames?: AsyncIterable<{ name: string; frame: ImageFrame; field?: OutputFile['field'] }>
  /** One media file from several inputs: the ffmpeg command for the source and the part's additional inputs. */
  media?: { source: AvSource; part: AvPart }
  /** PDFs; each is closed after it is saved. */
  documents?: AsyncIterable<{ name?: string; document: PdfHandle }>
  /** Finished files: a path from `output`, or their content. */
  files?: Iterable<OutputFile | MadeFile>
  /** The files form one set of this name. */
  set?: string
  /** Fields of the response; `encoded` holds the written images in order. */
  report?: Report | ((encoded: readonly Encoded[]) => Report)
  /** Shell output instead of a report, one line per entry. */
  lines?: readonly string[]
}

/** A file that the runner writes: bytes or text, or a copy of the file at `from`. */
export type MadeFile = { name?: string; type: string } & Pick<OutputFile, 'field' | 'mentions'> &
  ({ data: Uint8Array | string } | { from: string })

/** An input image for a step: a file, or an image that the previous step left open. */
export interface PictureInput {
  /** Its display name. */
  readonly name: string
  /** Decodes the image; without options, as the step's `decode` says. @throws INVALID_FILE with its name */
  open(options?: DecodeOptions): Promise<ImageFrame>
  /** Runs work on the image; damage found only during computation is reported under its name. */
  named<T>(work: () => Awaitable<T>): Promise<T>
  /** The file, for steps that need its bytes; an open image is written first. */
  file(): Promise<MediaFile>
}

/** A changed image, and the response fields about the change: for several pages, those of the first. */
export interface Transformed {
  frame: ImageFrame
  report: Report
}

/** The code of an image tool: `transform`, which pipelines fuse, or `produce` for any other number of images. */
export interface ImageStep<Settings = Record<string, unknown>, Input extends Pick<InputSpec, 'min'> = AnyInput> {
  /** Decode options, if the tool needs any. */
  decode?(settings: Settings): DecodeOptions
  /** Pixels in, pixels out; `frame.withTarget` sets encode options. */
  transform?(frame: ImageFrame, settings: Settings, context: StepContext): Awaitable<ImageFrame | Transformed>
  /** For a transform: additional response fields, based on the encoded image. */
  report?(frame: ImageFrame, encoded: Encoded, settings: Settings): Report | undefined
  /** Several images to one, one to several, one to figures, none to one. */
  produce?(pictures: InputsOf<PictureInput, Input>, settings: Settings, context: ProduceContext): Awaitable<Made>
}

/** The code of a video or audio tool. */
export interface AvStep<Settings = Record<string, unknown>, Input extends Pick<InputSpec, 'min'> = AnyInput> {
  kind: 'video' | 'audio'
  /** For a `produce`: the required kind of each input, by position; `kind` by default. A `file` is not probed. */
  kinds?: readonly ('video' | 'audio' | 'file')[]
  /** What the tool contributes to the one ffmpeg command. */
  plan?(source: AvSource, settings: Settings, context: StepContext): Awaitable<AvPart>
  /**
   * Whether `plan` reads the source itself (a first pass): the result of the previous steps is then written to a file
   * first, so that the pass measures the right data.
   */
  measures?(settings: Settings, source: AvSource): boolean
  /** Any output that is not one file from one file: frames, images, parts. */
  produce?(sources: InputsOf<AvSource, Input>, settings: Settings, context: ProduceContext): Awaitable<Made>
}

/** The code of a PDF tool. */
export interface PdfStep<Settings = Record<string, unknown>, Input extends Pick<InputSpec, 'min'> = AnyInput> {
  /** Options for opening the input, if the tool needs any (a password, a damaged file). */
  open?(settings: Settings): OpenPdfOptions
  /** Edits an open document and returns it, or returns another one. */
  edit?(document: PdfHandle, settings: Settings, context: StepContext): Awaitable<PdfHandle>
  /** Several documents to one, one to several, one to images, text or figures. */
  produce?(documents: InputsOf<PdfHandle, Input>, settings: Settings, context: PdfContext<Input>): Awaitable<Made>
}

/** The files that the documents were opened from, in order, for their bytes and names. */
export type PdfContext<Input extends Pick<InputSpec, 'min'> = InputSpec> = ProduceContext & {
  files: InputsOf<MediaFile, Input>
}
