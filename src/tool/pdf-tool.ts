import {
  type Action,
  type ActionDeclaration,
  declared,
  type FactsDeclaration,
  type InputSpec,
  type OutputSpec,
  oneFile,
  type Tool,
} from './contract.ts'
import type { SettingsOf, SettingsTable } from './settings.ts'
import type { PdfStep } from './steps.ts'

export type PdfToolDeclaration<Table extends SettingsTable, Input extends InputSpec = InputSpec> = Omit<
  FactsDeclaration<Table>,
  'section' | 'input' | 'output' | 'naming'
> &
  PdfStep<SettingsOf<Table>, Input> & {
    input?: Input
    output?: OutputSpec
    /** The suffix after the stem: `report_<suffix>.pdf`; without one, a `produce` names its files itself. */
    suffix?: string
  }

/**
 * A PDF tool: open documents in, the same or others out. Opening, input checks, saving, naming and closing are done for
 * it.
 */
export function pdfTool<const Table extends SettingsTable, const Input extends InputSpec = InputSpec>(
  declaration: PdfToolDeclaration<Table, Input>,
): Tool {
  const { edit, open, produce, suffix, ...facts } = declaration
  return declared<Table>(
    {
      section: 'pdf',
      input: oneFile('pdf'),
      output: { kind: 'file', type: { is: 'pdf' } },
      engines: ['mupdf'],
      timeoutS: 60,
      ...(suffix !== undefined && { naming: { suffix } }),
      ...facts,
    } as unknown as FactsDeclaration<Table>,
    { medium: 'pdf', step: { edit, open, produce } satisfies PdfStep<never, Input> },
  )
}

/** An action that works on open documents. */
export function pdfAction<const Table extends SettingsTable, const Input extends InputSpec>({
  edit,
  open,
  produce,
  ...facts
}: ActionDeclaration<Table, Input> & PdfStep<SettingsOf<Table>, Input>): Action {
  return { ...facts, medium: 'pdf', step: { edit, open, produce } } as unknown as Action
}
