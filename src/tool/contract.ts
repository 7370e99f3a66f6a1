import type { MediaFile } from '../media/file.ts'
import type { Condition } from './condition.ts'
import type { Example, FromJob, InputSpec, InputsOf, Naming, OutputSpec, Section } from './facts.ts'
import type { AnyJob, Job, ToolResult } from './job.ts'
import type { SettingsOf, SettingsTable } from './settings.ts'
import type { AvStep, ImageStep, PdfStep } from './steps.ts'

export * from './facts.ts'
export type * from './job.ts'
export type * from './steps.ts'

/** The code of a tool or action, by medium. `general` code does everything itself; the others receive opened inputs. */
export type Code =
  | { medium: 'image'; step: ImageStep }
  | { medium: 'av'; step: AvStep }
  | { medium: 'pdf'; step: PdfStep }
  | { medium: 'general'; run(job: AnyJob, settings: Record<string, unknown>): Promise<ToolResult> }

interface ActionFacts {
  id: string
  summary: string
  input: InputSpec
  settings: SettingsTable
  /** Same as for a tool. */
  check?(settings: Record<string, unknown>): void
  output: OutputSpec
  /** If its outputs are named differently from the tool's. */
  naming?: Naming
  /** If it needs other bundles than the tool. */
  bundles?: readonly string[]
  /** If its HTTP route takes settings differently from the tool's. */
  body?: ToolFacts['body']
  /** Over HTTP: the request always waits for the result, however long it takes. */
  sync?: true
  /** Over HTTP: it continues from the files that an earlier job kept. */
  fromJob?: FromJob
}

/** A named sub-operation: `mediaproc image edit-metadata/inspect FILE`. */
export type Action = ActionFacts & Code

/** What the interfaces (CLI, HTTP, library) and the job runner know about every tool, whatever its medium. */
export interface ToolFacts {
  section: Section
  id: string
  summary: string
  input: InputSpec
  settings: SettingsTable
  /** Rules that involve several settings; throws INVALID_SETTINGS. Runs before any file is opened. */
  check?(settings: Record<string, unknown>): void
  /**
   * Over HTTP, before the job is queued: throws the error that the job would throw if these settings need models or
   * programs that are not installed. Only for needs that depend on settings: `bundles` are checked for every tool.
   * @param store the model folder
   */
  checkInstalled?(settings: Record<string, unknown>, store: string): Promise<void>
  output: OutputSpec
  /** Absent if it is known only after the run. */
  naming?: Naming
  actions: readonly Action[]
  examples: readonly Example[]
  /** Ids of engines that the tool always needs. */
  engines: readonly string[]
  bundles: readonly string[]
  /** Bundles that only some settings need, with the values that need them. */
  bundlesFor?: Readonly<Record<string, Condition>>
  /** The models of its bundles that it can use, so that no others are installed for it; absent: all of them. */
  models?: readonly string[]
  /** In seconds. */
  timeoutS: number
  /** Uses many cores or much memory: fewer such jobs run at the same time. */
  heavy: boolean
  /** Opens network connections. */
  network: boolean
  /** The same input and settings produce the same bytes. */
  deterministic: boolean
  /** The tool's purpose is to convert between types: `mediaproc convert A B` can choose it. */
  conversion: boolean
  /**
   * A small copy of a picture shows the effect as the whole picture would, if settings in pixels are scaled with it:
   * interfaces can offer a preview. Rows that differ in this have `scales: false`.
   */
  scalable?: true
  /** Over HTTP: answers 202 immediately. */
  async: boolean
  /** Over HTTP: has a batch route. */
  batch: boolean
  /**
   * Over HTTP, for tools that work in several steps: the action that the tool's own route runs; false: that route only
   * lists the actions. Batches and pipelines run the whole tool.
   */
  overHttp?: string | false
  /** How the HTTP route takes its settings. */
  body: 'multipart' | 'json' | 'multipart|json'
}

/** A tool: its declaration, and its code by medium. */
export type Tool = ToolFacts & Code

type Defaulted =
  | 'actions'
  | 'engines'
  | 'bundles'
  | 'timeoutS'
  | 'heavy'
  | 'network'
  | 'deterministic'
  | 'conversion'
  | 'async'
  | 'batch'
  | 'body'

/**
 * The optional part of a declaration: everything except `id`, `summary`, `settings`, `examples` and the section has a
 * default.
 */
export type FactsDeclaration<Table extends SettingsTable> = Omit<
  ToolFacts,
  Defaulted | 'settings' | 'examples' | 'check' | 'checkInstalled'
> &
  Partial<Pick<ToolFacts, Defaulted>> & {
    settings: Table
    examples: readonly Example<SettingsOf<Table>>[]
    check?(settings: SettingsOf<Table>): void
    checkInstalled?(settings: SettingsOf<Table>, store: string): Promise<void>
  }

/** The declaration of a general tool. */
export type ToolDeclaration<
  Table extends SettingsTable,
  Input extends InputSpec = InputSpec,
> = FactsDeclaration<Table> & {
  input: Input
  run(job: Job<InputsOf<MediaFile, Input>>, settings: SettingsOf<Table>): Promise<ToolResult>
}

/** Declaration with defaults filled in, and code. Only the declaration knows the settings' types. */
export function declared<Table extends SettingsTable>(facts: FactsDeclaration<Table>, code: unknown): Tool {
  return {
    actions: [],
    engines: [],
    bundles: [],
    timeoutS: 120,
    heavy: false,
    network: false,
    deterministic: true,
    conversion: false,
    async: false,
    batch: facts.input.files === 'one' && facts.output.kind !== 'report',
    body: 'multipart',
    ...facts,
    ...(code as Code),
  } as unknown as Tool
}

/** A general tool: `run` does everything itself. For tools that do not fit the image, video, audio and PDF kinds. */
export function tool<const Table extends SettingsTable, const Input extends InputSpec>({
  run,
  ...facts
}: ToolDeclaration<Table, Input>): Tool {
  return declared(facts as unknown as FactsDeclaration<Table>, { medium: 'general', run })
}

/** The declaration of an action, without its code. */
export type ActionDeclaration<Table extends SettingsTable, Input extends InputSpec = InputSpec> = Omit<
  ActionFacts,
  'input' | 'settings' | 'check'
> & {
  input: Input
  settings: Table
  check?(settings: SettingsOf<Table>): void
}

/** A general action, typed by its own settings table. */
export function action<const Table extends SettingsTable, const Input extends InputSpec>(
  declaration: ActionDeclaration<Table, Input> & {
    run(job: Job<InputsOf<MediaFile, Input>>, settings: SettingsOf<Table>): Promise<ToolResult>
  },
): Action {
  return { medium: 'general', ...declaration } as unknown as Action
}
