import {
  type Action,
  type ActionDeclaration,
  declared,
  type FactsDeclaration,
  type InputSpec,
  type OutputSpec,
  oneFile,
  type Section,
  type Tool,
} from './contract.ts'
import { SAME_PICTURE } from './output-type.ts'
import type { SettingsOf, SettingsTable } from './settings.ts'
import type { ImageStep } from './steps.ts'

export type { StepContext } from './job.ts'

export type ImageToolDeclaration<Table extends SettingsTable, Input extends InputSpec = InputSpec> = Omit<
  FactsDeclaration<Table>,
  'section' | 'input' | 'output' | 'naming'
> &
  ImageStep<SettingsOf<Table>, Input> & {
    /** `image` by default: a tool that turns images into something else belongs to the section of its output. */
    section?: Section
    /** One image by default. */
    input?: Input
    /** By default a file of the input's own type, with a report if there is one. */
    output?: OutputSpec
    /** The suffix after the stem: `photo_<suffix>.jpg`; defaults to the tool's id. `converts` tools have none. */
    suffix?: string
    /** The tool is a conversion: its output is `<stem>.<ext>`. */
    converts?: boolean
  }

/**
 * An image tool: pixels in, pixels out. Decoding, naming and encoding are done for it; pipelines fuse a `transform`,
 * and pass open images from the previous step to a `produce`.
 */
export function imageTool<const Table extends SettingsTable, const Input extends InputSpec = InputSpec>(
  declaration: ImageToolDeclaration<Table, Input>,
): Tool {
  const { transform, decode, report, produce, suffix, converts = false, ...facts } = declaration
  const isNamed = transform !== undefined || suffix !== undefined || converts
  return declared<Table>(
    {
      section: 'image',
      input: oneFile('image'),
      output: { kind: report ? 'file+report' : 'file', type: SAME_PICTURE },
      engines: ['sharp'],
      ...(isNamed && { naming: { suffix: suffix ?? declaration.id, converts } }),
      ...facts,
    } as unknown as FactsDeclaration<Table>,
    { medium: 'image', step: { transform, decode, report, produce } satisfies ImageStep<never, Input> },
  )
}

/** An action that works on images. */
export function imageAction<const Table extends SettingsTable, const Input extends InputSpec>({
  transform,
  decode,
  report,
  produce,
  ...facts
}: ActionDeclaration<Table, Input> & ImageStep<SettingsOf<Table>, Input>): Action {
  const step = { transform, decode, report, produce }
  return { ...facts, medium: 'image', step } as unknown as Action
}
