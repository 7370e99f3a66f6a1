/** The runs for the files and the form of a tool page. */
import type { ToolForm } from '../api/types.ts'
import { fileNow, type WorkFile } from '../files/work-files.ts'
import { withoutSecrets } from '../forms/memory.ts'
import type { Values } from '../forms/values.ts'
import type { Run } from '../run/runs.ts'
import { STRINGS } from '../strings.ts'
import { type Chosen, isRequired } from './other-files.tsx'

type Settings = Readonly<Record<string, unknown>>

/** Whether the request is JSON: the tool takes only that, or has no files. */
export const isJsonRun = ({ body }: ToolForm, files: number, others: Chosen): boolean =>
  body === 'json' || (body === 'multipart|json' && files === 0 && Object.keys(others).length === 0)

/** One run for all files of a tool that joins them; otherwise one for each. */
export function plannedRuns(
  tool: ToolForm,
  list: readonly WorkFile[],
  others: Chosen,
  settings: Settings,
): Omit<Run, 'id' | 'state'>[] {
  const path = `api/v1/tools/${tool.section}/${tool.id}`
  const kept = { tool: `${tool.section}/${tool.id}`, settings: withoutSecrets(tool.settings, settings) }
  const more = Object.entries(others).map(([field, file]) => ({ field, file }))
  const runOf = (works: readonly WorkFile[]): Omit<Run, 'id' | 'state'> => {
    const files = works.map((work) => ({ field: 'file', file: fileNow(work) }))
    const [first] = works
    return {
      title: files.length === 1 && first ? fileNow(first).name : tool.label,
      upload: { path, files: [...files, ...more], settings, isJson: isJsonRun(tool, files.length, others), kept },
      source: works.length === 1 ? first : undefined,
    }
  }
  const { minFiles, maxFiles } = tool.inputs
  const isJoined = maxFiles > 1 || list.length === 0
  return isJoined && (list.length >= minFiles || maxFiles === 0) ? [runOf(list)] : list.map((work) => runOf([work]))
}

/** Which files a run lacks, as a sentence; '' if none. @param values with defaults */
export function missingFiles(tool: ToolForm, list: readonly WorkFile[], others: Chosen, values: Values): string {
  const { files } = STRINGS
  const { minFiles, maxFiles } = tool.inputs
  if (list.length < minFiles) return minFiles === 1 ? files.needOne : files.needSeveral(minFiles)
  if (maxFiles > 1 && list.length > maxFiles) return files.tooMany(maxFiles)
  const missing = tool.inputs.files.find((other) => isRequired(other, values) && !others[other.name])
  return missing ? files.needOther(missing.label) : ''
}
