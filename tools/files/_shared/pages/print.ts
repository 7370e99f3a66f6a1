import { writeFile } from 'node:fs/promises'
import { type PrintedPage, printPage } from '../../../../src/engines/print/print-page.ts'
import { printableName } from '../../../../src/media/file.ts'
import { suffixedName } from '../../../../src/media/naming.ts'
import { confirmPdf } from '../../../../src/media/pdf/verify/second-reader.ts'
import type { Job, ToolResult } from '../../../../src/tool/contract.ts'
import { counted, listed } from '../../../../src/wording.ts'
import { leftOutSentence } from './left-out.ts'

/** Prints an HTML page as the PDF of the job's first input; warns about missing, shrunk or cut content. */
export async function printed(job: Job, html: string): Promise<ToolResult> {
  const file = job.inputs[0]
  job.progress(0.1, 'printing')
  const pdf = await printedBytes(job, html)
  const name = suffixedName(file, '', 'pdf')
  const path = await job.output(name)
  await writeFile(path, pdf)
  return { files: [{ path, name, mime: 'application/pdf' }] }
}

/**
 * Like `printed`, for callers that write the file themselves.
 * @throws PROCESSING_FAILED also when a second reader does not find complete pages in it
 */
export async function printedBytes(job: Job, html: string): Promise<Uint8Array> {
  const page = await printPage(html, job.signal)
  await confirmPdf(page.pdf)
  for (const sentence of losses(printableName(job.inputs[0].name), page)) job.warn(sentence)
  return page.pdf
}

function losses(name: string, { leftOut, damagedPictures, scale, cut }: PrintedPage): string[] {
  const percent = `${Math.round(scale * 100)} %`
  const sentences: string[] = []
  if (leftOut.length > 0) sentences.push(leftOutSentence(name, leftOut.length, leftOut))
  if (damagedPictures > 0)
    sentences.push(`${name} holds ${counted(damagedPictures, 'damaged picture')} that cannot be displayed`)
  if (cut.length > 0)
    sentences.push(
      `${name} is wider than its pages even at ${percent}: ${listed(cut)} ${cut.length === 1 ? 'is' : 'are'} cut off. Set larger pages in its styles, e.g. @page { size: A3 landscape }`,
    )
  else if (scale < 1)
    sentences.push(
      `${name} is wider than its pages and is printed at ${percent} of its size, so that nothing is cut off`,
    )
  return sentences
}
