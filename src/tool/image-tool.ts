import type { MediaFile } from '../media/file.ts'
import type { DecodeOptions } from '../media/image/decode.ts'
import type { Encoded } from '../media/image/encode.ts'
import type { ImageFrame } from '../media/image/frame.ts'
import { convertedName, extensionLike, suffixedName } from '../media/naming.ts'
import { mimeOf } from '../media/type.ts'
import { type Job, type OutputSpec, oneFile, type Tool, type ToolDeclaration, tool } from './contract.ts'
import { SAME_PICTURE } from './output-type.ts'
import type { SettingsOf, SettingsTable } from './settings.ts'

/** What a step of any medium may use of its job. */
export type StepContext = Pick<Job, 'secondary' | 'signal' | 'warn' | 'progress' | 'scratch'>

/** The fusible part of an image tool. */
export interface ImageStep<Settings = Record<string, unknown>> {
  /** How the input is to be decoded, where the tool cares. */
  decode?(settings: Settings): DecodeOptions
  /** Pixels in, pixels out; wishes for the encode are set with `frame.withTarget`. */
  transform(frame: ImageFrame, settings: Settings, context: StepContext): ImageFrame | Promise<ImageFrame>
  /** What the answer says beside the file. */
  report?(frame: ImageFrame, encoded: Encoded, settings: Settings): Record<string, unknown> | undefined
}

export type ImageToolDeclaration<Table extends SettingsTable> = Omit<
  ToolDeclaration<Table>,
  'run' | 'section' | 'input' | 'output'
> &
  ImageStep<SettingsOf<Table>> & {
    /** One picture by default. */
    input?: Tool['input']
    output?: OutputSpec
    /** The word after the stem: `photo_<suffix>.jpg`; the tool's id by default. `converts` tools have none. */
    suffix?: string
    /** The tool is a conversion: its output is `<stem>.<ext>`. */
    converts?: boolean
  }

/** The output name of an image tool for this input and extension. */
export function imageOutputName(
  { id, suffix = id, converts = false }: { id: string; suffix?: string; converts?: boolean },
  file: MediaFile,
  extension: string,
): string {
  return converts ? convertedName(file, suffix, extension) : suffixedName(file, suffix, extensionLike(file, extension))
}

/** An image tool: pixels in, pixels out. Decoding, naming and encoding are done for it; pipelines fuse it. */
export function imageTool<const Table extends SettingsTable>(declaration: ImageToolDeclaration<Table>): Tool {
  const { transform, decode, report, suffix, converts, ...rest } = declaration
  return {
    ...tool<Table>({
      section: 'image',
      input: oneFile('image'),
      output: { kind: report ? 'file+report' : 'file', type: SAME_PICTURE },
      engines: ['sharp'],
      ...rest,
      async run(job, settings) {
        const [{ decodeImage }, { encodeImage, formatOf }] = await Promise.all([
          import('../media/image/decode.ts'),
          import('../media/image/encode.ts'),
        ])
        const file = job.inputs[0]!
        const { imageError } = await import('../media/image/errors.ts')
        try {
          job.progress(0, 'reading')
          const frame = await transform(await decodeImage(file, decode?.(settings)), settings, job)
          job.signal.throwIfAborted()
          const { extension } = formatOf(frame)
          const name = imageOutputName({ id: declaration.id, suffix, converts }, file, extension)
          const path = await job.output(name)
          job.progress(0.5, 'encoding')
          const encoded = await encodeImage(frame, path)
          if (encoded.loss) job.warn(encoded.loss)
          const answer = report?.(frame, encoded, settings)
          return { files: [{ path, name, mime: mimeOf(extension) }], ...(answer && { report: answer }) }
        } catch (error) {
          throw imageError(error, file.name)
        }
      },
    }),
    medium: 'image',
    naming: { suffix: suffix ?? declaration.id, converts },
    step: { transform, decode, report } satisfies ImageStep<never>,
  }
}
