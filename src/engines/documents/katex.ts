import { MediaprocError } from '../../errors.ts'
import { forBrowsers } from './math-letters.ts'

/** Commands that a formula may expand, and the largest size of a rule or space, em: documents are untrusted. */
const LIMITS = { maxExpand: 1000, maxSize: 100 }

/**
 * Returns a formula in TeX as `math` element of MathML, which contains the source as annotation.
 * @throws INVALID_FILE with the reason when the source cannot be read
 */
export type MathWriter = (tex: string, isDisplay: boolean) => string

/** Loads the library once; links, classes and files of formulas are refused. */
export async function mathWriter(): Promise<MathWriter> {
  const { default: library } = await import('katex')
  return (tex, isDisplay) => {
    const options = { ...LIMITS, displayMode: isDisplay, output: 'mathml', strict: 'ignore', trust: false } as const
    try {
      const html = library.renderToString(tex, options)
      return forBrowsers(/<math[\s\S]*<\/math>/.exec(html)?.[0] ?? '')
    } catch (error) {
      const raw = error instanceof Error && 'rawMessage' in error ? error.rawMessage : error
      throw new MediaprocError('INVALID_FILE', String(raw))
    }
  }
}
