import type { AvStep } from './av-tool.ts'
import type { Tool } from './contract.ts'
import type { ImageStep } from './image-tool.ts'
import type { PdfStep } from './pdf-tool.ts'

type Complete = (given: Record<string, unknown>) => Record<string, unknown>

/** The fusible part of a base tool for a preset of it: the same code, with the settings made complete before each call. */
export function lockedStep({ medium, step }: Pick<Tool, 'medium' | 'step'>, complete: Complete): Tool['step'] {
  if (!step) return undefined
  if (medium === 'image') {
    const { transform, decode, report } = step as ImageStep
    return {
      transform: (frame, given, context) => transform(frame, complete(given), context),
      ...(decode && { decode: (given: Record<string, unknown>) => decode(complete(given)) }),
      ...(report && {
        report: (...[frame, encoded, given]: Parameters<typeof report>) => report(frame, encoded, complete(given)),
      }),
    } satisfies ImageStep
  }
  if (medium === 'av') {
    const { kind, plan } = step as AvStep
    return { kind, plan: (source, given, context) => plan(source, complete(given), context) } satisfies AvStep
  }
  const { edit, open } = step as PdfStep
  return {
    edit: (document, given, context) => edit(document, complete(given), context),
    ...(open && { open: (given: Record<string, unknown>) => open(complete(given)) }),
  } satisfies PdfStep
}
