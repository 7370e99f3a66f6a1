import type MarkdownIt from 'markdown-it'
import type { Token } from 'markdown-it/index.js'
import { MediaprocError } from '../../errors.ts'
import type { MathWriter } from './katex.ts'

/** Tokens of formulas: in a line of text, and displayed on lines of their own. */
const INLINE = 'math_inline'
const DISPLAY = 'math_display'

const isSpace = (character: string | undefined): boolean => character === undefined || /\s/.test(character)

/** Position of the closing delimiter from `from` on; characters after a backslash are skipped. */
function closing(text: string, delimiter: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1
    else if (text.startsWith(delimiter, at)) return at
  }
  return -1
}

/**
 * Formulas as in Pandoc: `$x$` has no space inside the delimiters and no digit after the last one, so that prices stay
 * text, and no code; `$$x$$` is displayed, also over several lines and inside a paragraph.
 */
export function addMaths(parser: MarkdownIt): void {
  parser.inline.ruler.after('escape', INLINE, (state, silent) => {
    const { src, pos } = state
    if (src[pos] !== '$') return false
    const delimiter = src[pos + 1] === '$' ? '$$' : '$'
    const start = pos + delimiter.length
    const end = closing(src, delimiter, start)
    const tex = end < 0 ? '' : src.slice(start, end)
    if (end > state.posMax || tex.trim() === '') return false
    const isText = isSpace(tex[0]) || isSpace(tex.at(-1)) || /\d/.test(src[end + 1] ?? '') || tex.includes('`')
    if (delimiter === '$' && isText) return false
    if (!silent) state.push(delimiter === '$' ? INLINE : DISPLAY, 'math', 0).content = tex
    state.pos = end + delimiter.length
    return true
  })
  parser.block.ruler.after(
    'fence',
    DISPLAY,
    (state, startLine, endLine, silent) => {
      const line = (number: number): string =>
        state.src.slice((state.bMarks[number] ?? 0) + (state.tShift[number] ?? 0), state.eMarks[number])
      if (!line(startLine).startsWith('$$') || (state.sCount[startLine] ?? 0) - state.blkIndent >= 4) return false
      const lines = [line(startLine).slice(2)]
      let last = startLine
      // Up to the first delimiter: many formulas that are not closed would otherwise be read to the end, each.
      while (closing(lines.at(-1) ?? '', '$$', 0) < 0 && !/\$\$\s*$/.test(lines.at(-1) ?? '') && last + 1 < endLine) {
        last += 1
        lines.push(line(last))
      }
      const text = lines.join('\n').trimEnd()
      const tex = text.slice(0, -2)
      // `$$a$$ is text` is a paragraph.
      if (!text.endsWith('$$') || tex.trim() === '' || closing(tex, '$$', 0) >= 0) return false
      if (silent) return true
      state.line = last + 1
      const token = state.push(DISPLAY, 'math', 0)
      token.block = true
      token.map = [startLine, state.line]
      token.content = tex
      return true
    },
    { alt: ['paragraph', 'reference', 'blockquote', 'list'] },
  )
  parser.renderer.rules[INLINE] = (tokens, index) => tokens[index]?.meta as string
  parser.renderer.rules[DISPLAY] = (tokens, index) =>
    tokens[index]?.block ? `<p>${tokens[index]?.meta as string}</p>\n` : (tokens[index]?.meta as string)
}

/** All formulas of a document. */
const formulasOf = (tokens: readonly Token[]): Token[] =>
  tokens.flatMap((token) =>
    token.type === INLINE || token.type === DISPLAY ? [token] : token.children ? formulasOf(token.children) : [],
  )

/**
 * Converts the formulas of a document to MathML; one that cannot be read stays as source.
 * @returns the formulas that cannot be read, with the reason
 */
export async function renderMaths(
  tokens: readonly Token[],
  escaped: (text: string) => string,
  load: () => Promise<MathWriter>,
): Promise<string[]> {
  const formulas = formulasOf(tokens)
  if (formulas.length === 0) return []
  const write = await load()
  return formulas.flatMap((token) => {
    const tex = token.content.trim()
    try {
      token.meta = write(tex, token.type === DISPLAY)
      return []
    } catch (error) {
      if (!(error instanceof MediaprocError)) throw error
      token.meta = `<code>${escaped(tex)}</code>`
      return [
        `the formula ${tex.length > 40 ? `${tex.slice(0, 40)}…` : tex} cannot be read and is shown as source: ${error.message}`,
      ]
    }
  })
}
