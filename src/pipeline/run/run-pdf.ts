import { withoutSurprise } from '../../engines/mupdf.ts'
import { checkAccepted } from '../../job/accept.ts'
import { firstOf, lastOf } from '../../lists.ts'
import { printableName } from '../../media/file.ts'
import { openPdfFile, type PdfHandle, savePdf } from '../../media/pdf/document.ts'
import { claimsOf, lossesOf } from '../../media/pdf/verify/losses.ts'
import type { OutputFile, PdfStep } from '../../tool/contract.ts'
import type { PlannedStep } from '../plan/plan.ts'
import { fileOf, type Item, type Sink } from './item.ts'
import { noteWritten, type RunContext, stepContext, timed } from './run-context.ts'

/** The code of a step that is known to work on PDFs. */
export function pdfStep({ tool }: PlannedStep): PdfStep {
  return (tool as { step: PdfStep }).step
}

/** One step; its save options are added to earlier ones. */
async function editOnce(context: RunContext, step: PlannedStep, document: PdfHandle): Promise<PdfHandle> {
  const { edit } = pdfStep(step)
  const edited = await edit!(document, structuredClone(step.settings), await stepContext(context, step))
  if (edited !== document) Object.assign(edited.target, { ...document.target, ...edited.target })
  return edited
}

/** Edits of one document: opened once, saved once. */
export async function runPdfSteps(
  context: RunContext,
  steps: readonly PlannedStep[],
  item: Item,
  sink: Sink,
): Promise<OutputFile> {
  const [first] = steps
  const file = await fileOf(item)
  const { job, progress } = context
  const open: PdfHandle[] = []
  try {
    await timed(context, first!, steps.length, async () => {
      checkAccepted(first!.tool.input.accept, file, first!.name)
      job.progress(progress.from, 'reading')
      const document = await openPdfFile(file, pdfStep(first!).open?.(first!.settings))
      open.push(document)
      document.recordPages()
    })
    const claims = claimsOf(firstOf(open))
    for (const [index, step] of steps.entries()) {
      const edited = await timed(context, step, steps.length, () => editOnce(context, step, lastOf(open)))
      // Several steps may return the same handle; each is closed once.
      if (!open.includes(edited)) open.push(edited)
      else open.push(...open.splice(open.indexOf(edited), 1))
      job.signal.throwIfAborted()
      job.progress(progress.from + (progress.part * (index + 1)) / (steps.length + 1), 'saving')
    }
    for (const loss of lossesOf([claims], lastOf(open))) job.warn(loss)
    const last = lastOf(steps)
    const written = await timed(context, last, steps.length, async () => {
      const name = context.nameOf(item, 'pdf')
      const path = await sink(name)
      for (const warning of await savePdf(lastOf(open), path)) job.warn(warning)
      return { path, name, mime: 'application/pdf' }
    })
    await noteWritten(context, last, [written])
    return written
  } catch (error) {
    throw withoutSurprise(error, printableName(file.name))
  } finally {
    for (const document of open.reverse()) document.close()
  }
}
