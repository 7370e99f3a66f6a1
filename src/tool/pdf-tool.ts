import { suffixedName } from '../media/naming.ts'
import type { OpenPdfOptions, PdfHandle } from '../media/pdf/document.ts'
import { type OutputSpec, oneFile, type Tool, type ToolDeclaration, tool } from './contract.ts'
import type { StepContext } from './image-tool.ts'
import type { SettingsOf, SettingsTable } from './settings.ts'

/** The fusible part of a PDF tool: it edits an open document and gives it back, or gives another one. */
export interface PdfStep<Settings = Record<string, unknown>> {
  /** How the input is to be opened, where the tool cares (a password, a damaged file). */
  open?(settings: Settings): OpenPdfOptions
  edit(document: PdfHandle, settings: Settings, context: StepContext): PdfHandle | Promise<PdfHandle>
}

export type PdfToolDeclaration<Table extends SettingsTable> = Omit<
  ToolDeclaration<Table>,
  'run' | 'section' | 'input' | 'output'
> &
  PdfStep<SettingsOf<Table>> & {
    input?: Tool['input']
    output?: OutputSpec
    /** The word after the stem: `report_<suffix>.pdf`. */
    suffix: string
  }

/** A PDF tool: an open document in, the same or another out. Opening, the input gate, saving and naming are done for it. */
export function pdfTool<const Table extends SettingsTable>(declaration: PdfToolDeclaration<Table>): Tool {
  const { edit, open, suffix, ...rest } = declaration
  return {
    ...tool<Table>({
      section: 'pdf',
      input: oneFile('pdf'),
      output: { kind: 'file', type: { is: 'pdf' } },
      engines: ['mupdf'],
      timeoutS: 60,
      ...rest,
      async run(job, settings) {
        const { openPdfFile, savePdf } = await import('../media/pdf/document.ts')
        const file = job.inputs[0]!
        job.progress(0, 'reading')
        const given = await openPdfFile(file, open?.(settings))
        try {
          const edited = await edit(given, settings, job)
          job.signal.throwIfAborted()
          const name = suffixedName(file, suffix, 'pdf')
          const path = await job.output(name)
          job.progress(0.7, 'saving')
          await savePdf(edited, path)
          if (edited !== given) edited.close()
          return { files: [{ path, name, mime: 'application/pdf' }] }
        } finally {
          given.close()
        }
      },
    }),
    medium: 'pdf',
    naming: { suffix },
    step: { edit, open } satisfies PdfStep<never>,
  }
}
