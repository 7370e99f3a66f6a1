import { readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import { toMediaprocError } from '../../errors.ts'
import { printableName } from '../../media/file.ts'
import { nearbyFileHint } from './nearby-file.ts'
import { PipelineSource, type Placed } from './source.ts'
import { SourceText } from './source-text.ts'

/** Maximum depth of includes in included files. */
const MAX_INCLUDE_DEPTH = 10

/** Maximum size of an included file; its text has another limit. In bytes. */
const MAX_BYTES = 4 * 1024 * 1024

/** A problem with an included file, as a message and a hint. */
class IncludeFault extends Error {
  readonly hint: string | undefined

  constructor(message: string, hint?: string) {
    super(message)
    this.hint = hint
  }
}

const PLACE = 'It is looked for next to the file that includes it.'

function realPathOf(path: string, written: string): string {
  const shown = printableName(path)
  try {
    const about = statSync(path)
    if (!about.isFile()) throw new IncludeFault(`${shown} is not a file`)
    if (about.size > MAX_BYTES) throw new IncludeFault(`${shown} is too large for a file of steps`)
    return realpathSync(path)
  } catch (error) {
    if (error instanceof IncludeFault) throw error
    throw toMediaprocError(error).code === 'FILE_NOT_FOUND'
      ? new IncludeFault(`The file ${shown} does not exist`, nearbyFileHint(path, written, PLACE))
      : new IncludeFault(`The file ${shown} cannot be read`)
  }
}

function textOf(path: string, shown: string): SourceText {
  try {
    return new SourceText(readFileSync(path, 'utf8'))
  } catch (error) {
    const { code, message } = toMediaprocError(error)
    throw new IncludeFault(code === 'LIMIT_EXCEEDED' ? message : `The file ${printableName(shown)} cannot be read`)
  }
}

/** The files from the pipeline to this one: their names for display, and their real paths. */
function chainOf(source: PipelineSource): { shown: string; realPath: string | undefined }[] {
  const { including, file } = source
  const own = { shown: including?.shown ?? 'the pipeline', realPath: file.realPath }
  return including ? [...chainOf(including.source), own] : [own]
}

function open(source: PipelineSource, written: string, where: Placed): PipelineSource {
  const { folder } = source.file
  if (folder === undefined) throw new IncludeFault('This pipeline cannot include files')
  const shown = isAbsolute(written) ? written : join(folder, written)
  const realPath = realPathOf(shown, written)
  const chain = chainOf(source)
  const start = chain.findIndex((one) => one.realPath === realPath)
  if (start >= 0) {
    const names = [...chain.slice(start).map((one) => printableName(one.shown)), printableName(shown)]
    throw new IncludeFault(`${printableName(shown)} would include itself: ${names.join(' → ')}`)
  }
  if (chain.length > MAX_INCLUDE_DEPTH)
    throw new IncludeFault(`Files can include each other ${MAX_INCLUDE_DEPTH} levels deep, and this is one more`)
  const text = source.included.get(realPath) ?? textOf(realPath, shown)
  source.included.set(realPath, text)
  const file = { folder: dirname(shown), realPath }
  return new PipelineSource(text, source.variables, file, { source, where, shown })
}

/** Opens a file that a step includes; a mistake is recorded at the include. */
export function openIncluded(source: PipelineSource, written: string, where: Placed): PipelineSource | undefined {
  try {
    return open(source, written, where)
  } catch (error) {
    if (!(error instanceof IncludeFault)) throw error
    source.note(where, error.message, error.hint)
    return undefined
  }
}
