import { MediaprocError } from '../../errors.ts'
import { LIMITS } from '../../mcp/definitions.ts'

/** A file whose content is in the call. */
export interface FilePart {
  field: string
  name: string
  bytes: Buffer
}

/** The files of a job: those in the call, and those that the server has, as the form field `sources` names them. */
export interface JobFiles {
  parts: FilePart[]
  sources: Record<string, unknown>[]
}

const invalid = (where: string, expected: string): MediaprocError =>
  new MediaprocError('VALIDATION_ERROR', `${where}: Expected ${expected}`, {
    hint: { shell: '', http: 'A file is {"fileId"}, {"uploadId"}, {"jobId", "filename"} or {"name", "content"}.' },
  })

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

function partOf({ name, content }: Record<string, unknown>, field: string, where: string): FilePart {
  if (typeof name !== 'string' || name === '' || name.length > LIMITS.name)
    throw invalid(`${where}.name`, `a file name of 1 to ${LIMITS.name} characters`)
  if (typeof content !== 'string' || content.length > LIMITS.content || !BASE64.test(content))
    throw invalid(`${where}.content`, `base64 of at most ${LIMITS.content} characters; upload larger files first`)
  return { field, name, bytes: Buffer.from(content, 'base64') }
}

/**
 * The files of a call by their form fields. The route checks who may use them.
 * @throws MediaprocError VALIDATION_ERROR
 */
export function filesOf(files: readonly unknown[], extra: Readonly<Record<string, unknown>>): JobFiles {
  const all = [
    ...files.map((file, index) => ({ file, field: 'file', where: `files.${index}` })),
    ...Object.entries(extra).map(([field, file]) => ({ file, field, where: `extra_files.${field.slice(0, 50)}` })),
  ]
  const found: JobFiles = { parts: [], sources: [] }
  for (const [at, { file, field, where }] of all.entries()) {
    if (!isObject(file)) throw invalid(where, 'an object')
    if ('content' in file) {
      found.parts.push(partOf(file, field, where))
      continue
    }
    const { fileId, uploadId, jobId, filename } = file
    found.sources.push({ ...JSON.parse(JSON.stringify({ fileId, uploadId, jobId, filename })), field, at })
  }
  return found
}
