import type { AvPart, AvSource } from '../media/av/graph.ts'
import { convertedName, suffixedName } from '../media/naming.ts'
import { mimeOf } from '../media/type.ts'
import { type OutputSpec, oneFile, type Tool, type ToolDeclaration, tool } from './contract.ts'
import type { StepContext } from './image-tool.ts'
import type { SettingsOf, SettingsTable } from './settings.ts'

/** The fusible part of a video or audio tool: what it contributes to the one ffmpeg command. */
export interface AvStep<Settings = Record<string, unknown>> {
  kind: 'video' | 'audio'
  plan(source: AvSource, settings: Settings, context: StepContext): AvPart | Promise<AvPart>
}

export type AvToolDeclaration<Table extends SettingsTable> = Omit<
  ToolDeclaration<Table>,
  'run' | 'input' | 'output' | 'section'
> &
  Pick<AvStep<SettingsOf<Table>>, 'plan'> & {
    section: 'video' | 'audio'
    input?: Tool['input']
    output?: OutputSpec
    /** The word after the stem: `clip_<suffix>.mp4`. */
    suffix: string
    /** The tool is a conversion: its output is `<stem>.<ext>`, with the suffix only where that is the input's name. */
    converts?: boolean
  }

/** A video or audio tool that is one part of an ffmpeg graph. Probing, naming and the command are done for it. */
export function avTool<const Table extends SettingsTable>(declaration: AvToolDeclaration<Table>): Tool {
  const { plan, suffix, converts = false, ...rest } = declaration
  const kind = declaration.section
  return {
    ...tool<Table>({
      input: oneFile(kind),
      output: { kind: 'file', type: { same: true } },
      engines: ['ffmpeg'],
      timeoutS: 1800,
      heavy: true,
      ...rest,
      async run(job, settings) {
        const [{ openAv }, { outputExtension }, { runAv }] = await Promise.all([
          import('../media/av/input.ts'),
          import('../media/av/graph.ts'),
          import('../media/av/run.ts'),
        ])
        const file = job.inputs[0]!
        job.progress(0, 'reading')
        const source = await openAv(file, kind, job.signal)
        const part = await plan(source, settings, job)
        const extension = outputExtension(source, [part])
        const name = converts ? convertedName(file, suffix, extension) : suffixedName(file, suffix, extension)
        const path = await job.output(name)
        await runAv(source, [part], path, {
          signal: job.signal,
          onProgress: (fraction) => job.progress(fraction, 'encoding'),
        })
        return { files: [{ path, name, mime: mimeOf(extension) }] }
      },
    }),
    medium: 'av',
    naming: { suffix, converts },
    step: { kind, plan } satisfies AvStep<never>,
  }
}
