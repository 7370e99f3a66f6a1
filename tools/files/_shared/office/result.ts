import { copyFile, writeFile } from 'node:fs/promises'
import type { OfficeOutput } from '../../../../src/engines/libreoffice/libreoffice.ts'
import { convertedName } from '../../../../src/media/naming.ts'
import { convertedOffice } from '../../../../src/media/office/convert.ts'
import { type OfficeSource, openOffice } from '../../../../src/media/office/open.ts'
import { readText } from '../../../../src/media/text-file.ts'
import { mimeOf } from '../../../../src/media/type.ts'
import type { Job, ToolResult } from '../../../../src/tool/contract.ts'

/** Common declarations of tools that use LibreOffice: a run takes seconds and writes the time into its output. */
export const OFFICE_WORK = {
  section: 'files',
  conversion: true,
  timeoutS: 120,
  async: true,
  heavy: true,
  deterministic: false,
  batch: true,
} as const

/** LibreOffice does not report progress. */
const STARTED = 0.1

/**
 * Converts the job's first input to another format; a document that has the format already is returned unchanged, text
 * as UTF-8.
 * @param toolId for the file name, if that would be the input's own
 * @param options.source converted in place of the file
 * @param options.encoding encoding of plain text
 */
export async function officeResult(
  job: Job,
  toolId: string,
  format: OfficeOutput,
  { source, encoding }: { source?: OfficeSource | undefined; encoding?: string } = {},
): Promise<ToolResult> {
  const file = job.inputs[0]
  const name = convertedName(file, toolId, format)
  const path = await job.output(name)
  job.progress(STARTED, 'converting')
  const reading = { encoding, warn: job.warn }
  if (file.type.id === 'txt' && format === 'txt') await writeFile(path, await readText(file, reading))
  else if (file.type.id === format) await copyFile(file.path, path)
  else await writeFile(path, await convertedOffice(file, format, job, source ?? (await openOffice(file, reading))))
  return { files: [{ path, name, mime: mimeOf(format) }] }
}
