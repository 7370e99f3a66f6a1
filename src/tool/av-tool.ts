import { declared, type FactsDeclaration, type InputSpec, type OutputSpec, oneFile, type Tool } from './contract.ts'
import type { SettingsOf, SettingsTable } from './settings.ts'
import type { AvStep } from './steps.ts'

export type AvToolDeclaration<Table extends SettingsTable, Input extends InputSpec = InputSpec> = Omit<
  FactsDeclaration<Table>,
  'input' | 'output' | 'section' | 'naming'
> &
  Omit<AvStep<SettingsOf<Table>, Input>, 'kind'> & {
    section: 'video' | 'audio'
    input?: Input
    output?: OutputSpec
    /** The suffix after the stem: `clip_<suffix>.mp4`; without one, a `produce` names its files itself. */
    suffix?: string
    /**
     * The tool is a conversion: its output is `<stem>.<ext>`, and the suffix is added only if that is the input's name.
     */
    converts?: boolean
  }

/**
 * A video or audio tool: contributes to one ffmpeg command. Probing, naming and running the command are done for it.
 */
export function avTool<const Table extends SettingsTable, const Input extends InputSpec = InputSpec>(
  declaration: AvToolDeclaration<Table, Input>,
): Tool {
  const { plan, measures, produce, kinds, suffix, converts = false, ...facts } = declaration
  const { section: kind } = declaration
  return declared<Table>(
    {
      input: oneFile(kind),
      output: { kind: 'file', type: { same: true } },
      engines: ['ffmpeg'],
      timeoutS: 1800,
      heavy: true,
      ...(suffix !== undefined && { naming: { suffix, converts } }),
      ...facts,
    } as unknown as FactsDeclaration<Table>,
    { medium: 'av', step: { kind, kinds, plan, measures, produce } satisfies AvStep<never, Input> },
  )
}
