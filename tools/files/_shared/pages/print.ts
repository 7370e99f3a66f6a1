import { writeFile } from 'node:fs/promises'
import { printPage } from '../../../../src/engines/chromium.ts'
import { printableName } from '../../../../src/media/file.ts'
import { suffixedName } from '../../../../src/media/naming.ts'
import type { Job, ToolResult } from '../../../../src/tool/contract.ts'
import { leftOutSentence } from './left-out.ts'

/** A page of HTML as the PDF of the job's first input; says what was not loaded. */
export async function printed(job: Job, html: string): Promise<ToolResult> {
  const file = job.inputs[0]!
  job.progress(0.1, 'printing')
  const { pdf, leftOut } = await printPage(html, job.signal)
  if (leftOut > 0) job.warn(leftOutSentence(printableName(file.name), leftOut))
  const name = suffixedName(file, '', 'pdf')
  const path = await job.output(name)
  await writeFile(path, pdf)
  return { files: [{ path, name, mime: 'application/pdf' }] }
}
