import { MediaprocError } from '../errors.ts'
import { type MediaFile, printableName } from '../media/file.ts'
import { typeById, typeOfName } from '../media/type.ts'
import { conditionText, meetsCondition } from '../tool/condition.ts'
import type { InputSpec, Tool } from '../tool/contract.ts'
import { kebabCase } from '../tool/settings.ts'
import { invalidSettings } from '../tool/validate.ts'
import { either } from '../wording.ts'

const GROUPS = new Set(['image', 'video', 'audio', 'pdf', 'office', 'data', 'archive', 'text'])

/** Whether a file's content belongs to the accepted groups and extensions. */
export function accepts(accept: readonly string[], file: MediaFile): boolean {
  return accept.some((one) => {
    if (one === '*') return true
    if (one === file.type.group) return true
    if (GROUPS.has(one) && one !== 'pdf') return avContainer(one, file)
    const wanted = typeOfName(`x.${one}`) ?? typeById(one)
    return wanted?.id === file.type.id || file.type.extensions.includes(one) || sameByName(one, file)
  })
}

/** Containers with either audio or video (ogg, mp4, webm …) are classified by ffprobe, not by their first bytes. */
function avContainer(group: string, file: MediaFile): boolean {
  return (group === 'audio' || group === 'video') && (file.type.group === 'audio' || file.type.group === 'video')
}

/**
 * Text has no signature: .csv, .tsv and .json are identified by extension, as long as the content is text. A text file
 * named .png is rejected; problems with one named .pdf, .xlsx or .zip are better explained by the readers of these
 * formats.
 */
function sameByName(extension: string, file: MediaFile): boolean {
  const isText = file.type.group === 'text' || file.type.group === 'data'
  const isPicture = typeOfName(`x.${extension}`)?.group === 'image'
  return isText && !isPicture && file.name.toLowerCase().endsWith(`.${extension}`)
}

/** Rejects a file that the tool does not accept, and states its detected type. */
export function checkAccepted(accept: readonly string[], file: MediaFile, toolName: string): void {
  if (accepts(accept, file)) return
  const own = file.type.id === 'unknown' ? 'of no known type' : describe(file)
  const shown = accept.length > 12 ? 'other types' : either(accept)
  throw new MediaprocError(
    'UNSUPPORTED_FILE_TYPE',
    `${printableName(file.name)} is ${own}; ${toolName} takes ${shown}`,
    { hint: { shell: `mediaproc ${toolName.replace('/', ' ')} --help lists the types it takes.` } },
  )
}

function describe(file: MediaFile): string {
  const named = typeOfName(file.name)
  const what = file.type.group === 'text' || file.type.id === 'txt' ? 'plain text' : file.type.id.toUpperCase()
  return named && named.id !== file.type.id ? `${what} by its content` : what
}

/** Rejects too few or too many input files. */
export function checkCount(input: InputSpec, count: number, toolName: string): void {
  if (input.files === 'none') {
    if (count > 0) throw new MediaprocError('TOO_MANY_FILES', `${toolName} takes no input file`)
    return
  }
  if (count === 0 && input.min > 0) throw new MediaprocError('NO_FILE', `${toolName} needs an input file`)
  if (count < input.min)
    throw new MediaprocError('TOO_FEW_FILES', `${toolName} needs at least ${input.min} files, got ${count}`)
  if (count > input.max)
    throw new MediaprocError('TOO_MANY_FILES', `${toolName} takes at most ${input.max} files, got ${count}`)
}

/** Checks the named additional files of a tool. */
export function checkSecondary(
  tool: Pick<Tool, 'input'>,
  secondary: Readonly<Record<string, MediaFile>>,
  toolName: string,
): void {
  for (const [name, spec] of Object.entries(tool.input.secondary ?? {})) {
    const file = secondary[name]
    if (file) checkAccepted(spec.accept, file, `${toolName} --${name}`)
    else if (spec.required)
      throw new MediaprocError('NO_FILE', `${toolName} needs ${spec.what}`, {
        hint: { shell: `Name it with --${name} FILE.`, http: `Send it as the file ${name}.` },
      })
  }
}

/**
 * Rejects settings that require an additional file which is not given; runs before any file is opened.
 * @param given names of the additional files
 * @throws INVALID_SETTINGS
 */
export function checkRequiredFor(
  { secondary = {} }: InputSpec,
  settings: Readonly<Record<string, unknown>>,
  given: readonly string[],
): void {
  for (const [name, { requiredFor, what }] of Object.entries(secondary)) {
    if (!requiredFor || given.includes(name) || !meetsCondition(requiredFor, settings)) continue
    throw invalidSettings(
      `Expected a file ${name} (${what}) for ${conditionText(requiredFor)}, got none`,
      `Give it with --${kebabCase(name)} FILE`,
    )
  }
}
