import type { Block, Inline, List, Table, TextRun } from '../../engines/documents/rich-text.ts'
import { firstOf } from '../../lists.ts'
import { sameMarks } from './inlines.ts'

export interface MarkdownResult {
  text: string
  /** Number of images, which the Markdown output cannot contain. */
  leftOut: number
}

/** Writes a document as Markdown (CommonMark with tables and strikethrough). */
export function toMarkdown(blocks: readonly Block[]): MarkdownResult {
  const writer = new MarkdownWriter()
  const text = writer.blocks(blocks)
  return { text: text === '' ? '' : `${text}\n`, leftOut: writer.leftOut }
}

class MarkdownWriter {
  leftOut = 0

  blocks(blocks: readonly Block[]): string {
    const parts: string[] = []
    for (const [index, block] of blocks.entries()) {
      const text = this.#block(block)
      if (text === '') continue
      // Two consecutive lists would be parsed as one.
      if (block.kind === 'list' && blocks[index - 1]?.kind === 'list') parts.push('<!-- -->')
      parts.push(text)
    }
    return parts.join('\n\n')
  }

  #block(block: Block): string {
    switch (block.kind) {
      case 'paragraph':
        return this.#inlines(block.inlines)
      case 'heading':
        return `${'#'.repeat(block.level)} ${this.#inlines(block.inlines).replace(/\\?\n/g, ' ')}`
      case 'code': {
        const fence = '`'.repeat(Math.max(3, longestRun(block.text, '`') + 1))
        return `${fence}${block.language ?? ''}\n${block.text}\n${fence}`
      }
      case 'quote':
        return indented(this.blocks(block.blocks), '> ', '> ')
      case 'rule':
        return '---'
      case 'page-break':
        return ''
      case 'list':
        return this.#list(block)
      case 'table':
        return this.#table(block)
    }
  }

  #list(list: List): string {
    const items = list.items.map(({ blocks, checked }, index) => {
      const mark = list.ordered ? `${list.start + index}. ` : '- '
      const box = checked === undefined ? '' : checked ? '[x] ' : '[ ] '
      return indented(box + this.blocks(blocks), mark, ' '.repeat(mark.length))
    })
    const isLoose = list.items.some(({ blocks }) => blocks.filter(({ kind }) => kind !== 'list').length > 1)
    // In a tight list, no blank line precedes a nested list either.
    return items
      .map((item) => (isLoose ? item : item.replace(/\n\n(\s*(?:-|\d+\.) )/g, '\n$1')))
      .join(isLoose ? '\n\n' : '\n')
  }

  /** The first row is the header, because Markdown requires one; cells that span columns are followed by empty ones. */
  #table({ rows }: Table): string {
    const lines = rows.map(({ cells }) =>
      cells.flatMap(({ blocks, columnSpan }) => [
        this.blocks(blocks)
          .replace(/\\?\n+/g, '<br>')
          .replaceAll('|', '\\|'),
        ...new Array<string>(columnSpan - 1).fill(''),
      ]),
    )
    const columns = Math.max(...lines.map(({ length }) => length))
    const line = (cells: readonly string[]): string =>
      `| ${Array.from({ length: columns }, (_, column) => cells[column] ?? '').join(' | ')} |`
    const header = firstOf(rows).isHeader ? lines.shift()! : []
    const rule = Array.from({ length: columns }, (_, column) => {
      const block = firstOf(rows).cells[column]?.blocks[0]
      const align = block?.kind === 'paragraph' ? block.align : undefined
      return align === 'right' ? '---:' : align === 'center' ? ':---:' : '---'
    })
    return [line(header), line(rule), ...lines.map(line)].join('\n')
  }

  #inlines(inlines: readonly Inline[]): string {
    let text = ''
    let run: TextRun | undefined
    // Adjacent marks would be parsed as one.
    const add = (piece: string): void => {
      text += /[*~`]$/.test(text) && /^[*~`]/.test(piece) ? `<!-- -->${piece}` : piece
    }
    const close = (): void => {
      if (run) add(marked(run))
      run = undefined
    }
    for (const inline of inlines) {
      if (inline.kind === 'text') {
        if (run && sameMarks(run, inline)) run = { ...run, text: run.text + inline.text }
        else {
          close()
          run = inline
        }
        continue
      }
      close()
      if (inline.kind === 'break') text += '\\\n'
      else if (inline.kind === 'formula') text += inline.isDisplay ? `$$${inline.source}$$` : `$${inline.source}$`
      else {
        this.leftOut += 1
        if (inline.alt !== '') add(marked({ kind: 'text', text: inline.alt, italic: true }))
      }
    }
    close()
    return lineStarts(text)
  }
}

/** Marks must be adjacent to words: white space at the ends of a run is placed outside. */
function marked(run: TextRun): string {
  const [, before = '', words = '', after = ''] = /^(\s*)([\s\S]*?)(\s*)$/.exec(run.text)!
  if (words === '') return run.text
  let text = run.code ? codeSpan(words) : escapedText(words)
  if (run.position) text = run.position === 'sub' ? `<sub>${text}</sub>` : `<sup>${text}</sup>`
  if (run.strike) text = `~~${text}~~`
  if (run.italic) text = `*${text}*`
  if (run.bold) text = `**${text}**`
  // Links within a book have no target here.
  if (run.link !== undefined && !run.link.startsWith('#'))
    text = `[${text}](<${run.link.replace(/[<>\s]/g, encodeURIComponent)}>)`
  return before + text + after
}

function codeSpan(text: string): string {
  const fence = '`'.repeat(longestRun(text, '`') + 1)
  const space = text.startsWith('`') || text.endsWith('`') ? ' ' : ''
  return `${fence}${space}${text}${space}${fence}`
}

const longestRun = (text: string, character: string): number =>
  Math.max(0, ...(text.match(new RegExp(`${character}+`, 'g')) ?? []).map(({ length }) => length))

const escapedText = (text: string): string =>
  text
    .replace(/[\\`*_[\]<]/g, '\\$&')
    .replace(/&(?=#?\w+;)/g, '\\&')
    .replace(/~~/g, '\\~~')

/** Escapes text that would start a heading, a list, a quote, a table or a rule at the beginning of a line. */
const lineStarts = (text: string): string =>
  text.replace(/^(\s*)(#{1,6}(?=\s|$)|[-+>|=](?=\s|$|-|=)|>|\d+(?=[.)]\s))/gm, (_whole, space: string, mark: string) =>
    /^\d/.test(mark) ? `${space}${mark}\\` : `${space}\\${mark}`,
  )

const indented = (text: string, first: string, rest: string): string =>
  text
    .split('\n')
    .map((line, index) =>
      index === 0 ? first + line : line === '' && rest.trim() === '' ? '' : (rest + line).trimEnd(),
    )
    .join('\n')
