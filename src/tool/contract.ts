import type { Condition } from './condition.ts'
import type { Example, FromJob, InputSpec, Naming, OutputSpec, Section } from './facts.ts'
import type { Job, ToolResult } from './job.ts'
import type { SettingsOf, SettingsTable } from './settings.ts'
import type { AvStep, ImageStep, PdfStep } from './steps.ts'

export * from './facts.ts'
export type * from './job.ts'
export type * from './steps.ts'

/** The code of a tool or action, by its medium. `general` code does everything itself; the others get opened inputs. */
export type Code =
  | { medium: 'image'; step: ImageStep }
  | { medium: 'av'; step: AvStep }
  | { medium: 'pdf'; step: PdfStep }
  | { medium: 'general'; run(job: Job, settings: Record<string, unknown>): Promise<ToolResult> }

interface ActionFacts {
  id: string
  summary: string
  input: InputSpec
  settings: SettingsTable
  /** As that of a tool. */
  check?(settings: Record<string, unknown>): void
  output: OutputSpec
  /** Where its outputs are not named as those of the tool. */
  naming?: Naming
  /** Where it needs others than the tool. */
  bundles?: readonly string[]
  /** Where its HTTP route takes settings in another way than that of the tool. */
  body?: ToolFacts['body']
  /** Over HTTP: the request waits for the end of the work, however long it takes. */
  sync?: true
  /** Over HTTP: it goes on from what an earlier job kept. */
  fromJob?: FromJob
}

/** A named sub-operation: `mediaproc image edit-metadata/inspect FILE`. */
export type Action = ActionFacts & Code

/** What the front doors and the job runner know of every tool, whatever its medium. */
export interface ToolFacts {
  section: Section
  id: string
  summary: string
  input: InputSpec
  settings: SettingsTable
  /** Rules that span settings; throws INVALID_SETTINGS. Runs before any file is opened. */
  check?(settings: Record<string, unknown>): void
  /**
   * Over HTTP, before the work is queued: throws what the work would throw for models or programs that these settings need
   * and that are not installed. Only for needs that depend on settings: `bundles` are checked for every tool.
   * @param store folder of the models
   */
  checkInstalled?(settings: Record<string, unknown>, store: string): Promise<void>
  output: OutputSpec
  /** Absent where only the work can tell. */
  naming?: Naming
  actions: readonly Action[]
  examples: readonly Example[]
  /** Ids of engines without which the tool cannot work at all. */
  engines: readonly string[]
  bundles: readonly string[]
  /** Bundles that only some settings need, with the values that do. */
  bundlesFor?: Readonly<Record<string, Condition>>
  /** Of its bundles, the models that it can use, so that nobody installs others for it; absent: all of them. */
  models?: readonly string[]
  /** Seconds. */
  timeoutS: number
  /** Uses many cores or much memory: fewer of them run at the same time. */
  heavy: boolean
  /** Opens network connections. */
  network: boolean
  /** The same input and settings give the same bytes. */
  deterministic: boolean
  /** Turning one type into another is what the tool is for: `mediaproc convert A B` may choose it. */
  conversion: boolean
  /** Over HTTP: answers 202 at once. */
  async: boolean
  /** Over HTTP: has a batch route. */
  batch: boolean
  /**
   * Over HTTP, where the work is done in steps, the action that the tool's own route runs; false: that route only names the
   * actions. Batches and pipelines run the whole tool.
   */
  overHttp?: string | false
  /** How the HTTP route takes its settings. */
  body: 'multipart' | 'json' | 'multipart|json'
}

/** A tool: its facts, and its code by medium. */
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

/** What a declaration says besides its code: everything but `id`, `summary`, `settings`, `examples` and where it goes has a default. */
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
export type ToolDeclaration<Table extends SettingsTable> = FactsDeclaration<Table> & {
  run(job: Job, settings: SettingsOf<Table>): Promise<ToolResult>
}

/** Facts with their defaults, and code. The settings' types are known to the declaration alone. */
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

/** A general tool: `run` does everything itself. For what is neither pictures, video, audio nor PDF. */
export function tool<const Table extends SettingsTable>({ run, ...facts }: ToolDeclaration<Table>): Tool {
  return declared(facts as unknown as FactsDeclaration<Table>, { medium: 'general', run })
}

/** What an action declares besides its code. */
export type ActionDeclaration<Table extends SettingsTable> = Omit<ActionFacts, 'settings' | 'check'> & {
  settings: Table
  check?(settings: SettingsOf<Table>): void
}

/** A general action, with the types of its own table. */
export function action<const Table extends SettingsTable>(
  declaration: ActionDeclaration<Table> & { run(job: Job, settings: SettingsOf<Table>): Promise<ToolResult> },
): Action {
  return { medium: 'general', ...declaration } as unknown as Action
}
