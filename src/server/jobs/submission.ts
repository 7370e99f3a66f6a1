import { basename } from 'node:path'
import type { FastifyRequest } from 'fastify'
import { type Caller, requirePermission } from '../../accounts/caller.ts'
import { requireTool } from '../../accounts/directory/tool-permissions.ts'
import { MediaprocError } from '../../errors.ts'
import { checkAccepted, checkCount, checkRequiredFor } from '../../job/accept.ts'
import { firstOf, zip } from '../../lists.ts'
import { extensionOf, type MediaFile, openMediaFile } from '../../media/file.ts'
import { typeOfName } from '../../media/type.ts'
import { beforeExtension, uniqueNames } from '../../media/unique-names.ts'
import { type FoundTool, findRedirected } from '../../pipeline/read/find-tool.ts'
import type { JobFile, JobRecord, StoredTask } from '../../store/job-record.ts'
import type { CatalogueEntry } from '../../tool/catalogue.ts'
import { sentInput, sentSettings } from '../../tool/from-job.ts'
import { catalogue } from '../../tool/registry.ts'
import type { ServerConfig } from '../config.ts'
import type { ServerContext } from '../context.ts'
import { checkBundles } from '../features/gate.ts'
import { notFound } from '../http/answers.ts'
import { maySee } from '../library/ownership.ts'
import type { ReceivedFile, ReceivedForm, SortedFiles } from '../uploads/multipart.ts'
import { earlierFiles } from '../uploads/source-jobs.ts'
import type { WorkFolder } from '../uploads/work-folder.ts'
import { wrongContent } from './failure.ts'
import { type CheckedSettings, checkRequestSettings, parseSettings } from './settings-field.ts'

const CLIENT_JOB_ID = /^(?!\d+$)(?!.*\.\.)[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/

/** Sections that check a file by its name first; in the others the content decides. */
const BY_EXTENSION = new Set(['pdf', 'files'])

export const asJobFile = ({ path, name, bytes, mime, type }: ReceivedFile): JobFile => ({
  file: basename(path),
  name,
  bytes,
  mime,
  ...(type && { type: type.id }),
})

/** The client's own id for a job, if the request has one. */
export function clientJobId(text: string | undefined): string | undefined {
  if (text === undefined || text === '') return undefined
  if (CLIENT_JOB_ID.test(text)) return text
  throw new MediaprocError('INVALID_CLIENT_JOB_ID')
}

/** Timeout of a tool in seconds: the limit of its kind, capped by the operator. */
export function timeLimit(entry: CatalogueEntry, config: ServerConfig): number {
  const own = entry.bundles.length > 0 ? entry.timeoutS : entry.async ? config.timeoutLongS : config.timeoutFastS
  return config.timeoutCapS > 0 ? Math.min(config.timeoutCapS, own) : own
}

/** The library item that receives the result as a new version. */
export async function libraryTarget(
  { store }: ServerContext,
  { caller }: FastifyRequest,
  { fileId, saveMode = 'new' }: Readonly<Record<string, string>>,
): Promise<JobRecord['library']> {
  if (saveMode !== 'new' && saveMode !== 'overwrite')
    throw new MediaprocError('INVALID_SAVE_MODE', `Expected new or overwrite for saveMode, got ${saveMode}`)
  if (fileId === undefined || fileId === '') return undefined
  // The route's permission covers only the tool.
  requirePermission(caller, 'files:own')
  const item = await store.library.get(fileId)
  if (!item || !maySee(caller, item)) throw notFound()
  return { parentId: fileId, saveMode }
}

/** Assigns files to roles: secondary inputs by their form field, or by position after the primary files. */
export function sortFiles({ input }: Pick<CatalogueEntry, 'input'>, files: readonly ReceivedFile[]): SortedFiles {
  const names = Object.keys(input.secondary ?? {})
  const secondary: Record<string, ReceivedFile> = {}
  const inputs: ReceivedFile[] = []
  for (const file of files) {
    if (names.includes(file.field) && !secondary[file.field]) secondary[file.field] = file
    else inputs.push(file)
  }
  const open = names.filter((name) => !secondary[name] && input.secondary![name]!.required)
  for (const name of open) {
    if (inputs.length <= input.max) break
    secondary[name] = firstOf(inputs.splice(input.max, 1))
  }
  return { inputs, secondary }
}

/** Documents and data are identified by name: a file with another extension is refused before its content is read. */
function checkExtension(entry: CatalogueEntry, name: string): void {
  const extension = extensionOf(name)
  if (extension === '' || !BY_EXTENSION.has(entry.section)) return
  const type = typeOfName(name)
  const fits = entry.input.accept.some(
    (one) =>
      one === '*' || one === extension || one === type?.group || (type && typeOfName(`x.${one}`)?.id === type.id),
  )
  if (fits) return
  const takes = entry.input.accept.join(', ')
  throw new MediaprocError('UNSUPPORTED_FILE_TYPE', `${name}: ${entry.section}/${entry.id} takes ${takes}`, {
    hint: '',
  })
}

/** The type of a file; for most it was detected during the upload. */
async function opened({ path, name, bytes, type }: ReceivedFile, mayBeEmpty?: boolean): Promise<MediaFile> {
  return type && bytes > 0 ? { path, name, bytes, type } : openMediaFile(path, name, mayBeEmpty)
}

/** Checks the content of every file: types that the tool does not accept are refused before the job is queued. */
export async function checkFiles(entry: CatalogueEntry, { inputs, secondary }: SortedFiles): Promise<void> {
  const name = `${entry.section}/${entry.id}`
  checkCount(entry.input, inputs.filter(({ bytes }) => bytes > 0 || entry.input.mayBeEmpty).length, name)
  for (const file of inputs) checkExtension(entry, file.name)
  try {
    const { accept, mayBeEmpty } = entry.input
    for (const file of inputs) checkAccepted(accept, await opened(file, mayBeEmpty), name)
    for (const [field, spec] of Object.entries(entry.input.secondary ?? {})) {
      const file = secondary[field]
      if (file) checkAccepted(spec.accept, await opened(file), `${name} ${field}`)
      else if (spec.required) throw new MediaprocError('NO_FILE', `${name} needs ${spec.what} in the part ${field}`)
    }
  } catch (error) {
    throw wrongContent(error)
  }
}

/** A preset accepts every setting of its tool except the fixed ones, including those that it does not list. */
function openTable({
  section,
  settings,
  base,
  locked = {},
}: CatalogueEntry): Parameters<typeof checkRequestSettings>[0] {
  if (base === undefined) return { settings }
  const all = catalogue().find((one) => one.section === section && one.id === base)!.settings
  return { settings: Object.fromEntries(Object.entries(all).filter(([name]) => !Object.hasOwn(locked, name))), locked }
}

/** Resolved request: the tool that the settings select, and the validated settings. */
export interface RequestedRun extends CheckedSettings {
  found: FoundTool
}

/**
 * Validates the settings of a request, the rules that span several of them, and the models and programs they need.
 * @param files names of the secondary files of the request
 * @throws MediaprocError INVALID_SETTINGS, NOT_FOUND when they select a disabled tool, FORBIDDEN when the caller's role
 * does not include it, FEATURE_NOT_INSTALLED
 */
export async function checkedSettings(
  { settings: instance, config }: ServerContext,
  caller: Caller,
  route: FoundTool,
  requested: Record<string, unknown>,
  files: readonly string[] = [],
): Promise<RequestedRun> {
  const { found, given } = findRedirected(route, requested)
  if (found !== route && (await instance.isDisabled(found.tool.id))) throw notFound()
  if (found !== route) requireTool(caller.toolPermissions, found.tool)
  const table = found.action ? { settings: sentSettings(found.entry) } : openTable(found.tool)
  const checked = checkRequestSettings(table, given)
  const tool = await found.loadTool()
  tool.check?.(checked.values)
  checkRequiredFor(found.entry.input, checked.values, files)
  await checkBundles([found.entry], config.modelsFolder)
  await tool.checkInstalled?.(checked.values, config.modelsFolder)
  return { ...checked, found }
}

/** The stored task of a job: everything needed to run it again. */
export function storedTask(
  { tool, entry }: FoundTool,
  settings: Record<string, unknown>,
  { inputs, secondary }: SortedFiles,
  config: ServerConfig,
): StoredTask {
  return {
    kind: 'tool',
    target: `${entry.section}/${entry.id}`,
    settings,
    inputs: inputs.map(asJobFile),
    secondary: Object.fromEntries(Object.entries(secondary).map(([field, file]) => [field, asJobFile(file)])),
    timeoutS: timeLimit(tool, config),
    heavy: tool.heavy,
  }
}

/**
 * Creates the task of a request with validated settings. First copies the kept files of the earlier job that it
 * continues.
 * @throws MediaprocError defined by the action, when those files no longer exist
 */
export async function requestTask(
  context: ServerContext,
  caller: Caller,
  { found, values }: RequestedRun,
  sent: SortedFiles,
  work: WorkFolder,
): Promise<StoredTask> {
  if (!found.entry.fromJob) return storedTask(found, values, sent, context.config)
  const { jobId, filename, ...settings } = values as Record<string, unknown> & { jobId: string; filename: string }
  const kept = await earlierFiles(context, caller, found, { jobId, filename }, work)
  const files = {
    inputs: [...kept.inputs, ...sent.inputs],
    secondary: { ...sent.secondary, ...kept.secondary },
  }
  return storedTask(found, settings, files, context.config)
}

/** Runs all checks of a form that can refuse it before processing, in the order of the contract. */
export async function toolTask(
  context: ServerContext,
  caller: Caller,
  route: FoundTool,
  form: ReceivedForm,
  work: WorkFolder,
): Promise<{ found: FoundTool; task: StoredTask; ignored: readonly string[] }> {
  const unique = uniqueNames(
    form.files.map((file) => file.name),
    { repeat: beforeExtension('_') },
  )
  const entry = { ...route.entry, input: sentInput(route.entry) }
  const files = sortFiles(
    entry,
    zip(form.files, unique).map(([file, name]) => ({ ...file, name })),
  )
  await checkFiles(entry, files)
  const given = parseSettings(form.fields.settings)
  const requested = await checkedSettings(context, caller, route, given, Object.keys(files.secondary))
  const { found, ignored } = requested
  const task = await requestTask(context, caller, requested, files, work)
  const step = stepOverHttp(found)
  if (!step) return { found, task, ignored }
  // The tool's other settings were validated; they take effect in later steps.
  const isOfStep = (name: string): boolean => Object.hasOwn(step.settings, name)
  const settings = Object.fromEntries(Object.entries(task.settings).filter(([name]) => isOfStep(name)))
  const withoutEffect = Object.keys(given).filter(
    (name) => Object.hasOwn(found.entry.settings, name) && !isOfStep(name),
  )
  return {
    found,
    task: { ...task, target: `${task.target}/${step.id}`, settings },
    ignored: [...ignored, ...withoutEffect],
  }
}

/** The action that runs instead of a tool which works in several requests over HTTP. */
function stepOverHttp({ tool, action }: FoundTool): CatalogueEntry['actions'][number] | undefined {
  return action ? undefined : tool.actions.find(({ id }) => id === tool.overHttp)
}
