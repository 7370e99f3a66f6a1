import type { default as MarkdownIt } from 'markdown-it'
import { parseData } from '../../syntax-faults.ts'
import type { Engine } from '../engine.ts'
import { libraryEngine } from '../library.ts'
import { mathWriter } from './katex.ts'
import { addMaths, renderMaths } from './markdown-maths.ts'
import { addTasks, loadPictures, type PictureLoader, setDirections } from './markdown-rules.ts'

/** A document as HTML, with the fields of its front matter. */
export interface MarkdownPage {
  body: string
  /** The title of the front matter, or the text of the first heading. */
  title: string | undefined
  /** The title of the front matter. */
  declaredTitle: string | undefined
  author: string | undefined
  /** A BCP 47 tag. */
  language: string | undefined
  /** Sentences about formulas that cannot be read. */
  faults: string[]
}

/** YAML between lines of hyphens at the start, as in Jekyll, Hugo and Pandoc. */
const FRONT_MATTER = /^\ufeff?---[ \t]*\r?\n([\s\S]*?\r?\n)?(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/

/** The text without its front matter, and its fields; a block that is not a YAML mapping is part of the text. */
async function withoutFrontMatter(text: string): Promise<{ text: string; fields: Readonly<Record<string, unknown>> }> {
  const [block, yaml = ''] = FRONT_MATTER.exec(text) ?? []
  if (block === undefined) return { text, fields: {} }
  const parsed = await parseData(yaml, true)
  if (!('value' in parsed) || typeof parsed.value !== 'object' || Array.isArray(parsed.value))
    return { text, fields: {} }
  return { text: text.slice(block.length), fields: { ...parsed.value } }
}

/** A field as text: a word, a number, or a list of them or of mappings with a name. */
function fieldText(value: unknown): string | undefined {
  if (typeof value === 'string' || typeof value === 'number') return String(value).trim() || undefined
  if (Array.isArray(value)) return value.flatMap((one) => fieldText(one) ?? []).join(', ') || undefined
  return typeof value === 'object' && value !== null && 'name' in value ? fieldText(value.name) : undefined
}

async function markdownParser(): Promise<MarkdownIt> {
  const [{ default: Parser }, { default: footnotes }] = await Promise.all([
    import('markdown-it'),
    import('markdown-it-footnote'),
  ])
  const parser = Parser({ html: false, linkify: true }).use(footnotes)
  addMaths(parser)
  const { rules } = parser.renderer
  // Numbers as in print, without brackets; no arrow back, which few fonts have.
  rules.footnote_caption = (tokens, index) => {
    const meta = tokens[index]?.meta as { id: number } | undefined
    return String((meta?.id ?? 0) + 1)
  }
  rules.footnote_anchor = () => ''
  return parser
}

/**
 * Converts CommonMark with tables, task lists, footnotes, formulas, strike-through and autolinks; YAML front matter is not printed.
 * HTML in the document is shown as text, and script links are removed: documents are untrusted.
 * @param picture returns a picture of the document as a `data:` URI, or undefined to keep its address
 */
export async function renderMarkdown(source: string, picture?: PictureLoader): Promise<MarkdownPage> {
  const { text, fields } = await withoutFrontMatter(source)
  const markdown = await markdownParser()
  const tokens = markdown.parse(text, {})
  addTasks(tokens)
  setDirections(tokens, source)
  if (picture) await loadPictures(tokens, picture)
  const heading = tokens.findIndex(({ type }) => type === 'heading_open')
  const first = heading < 0 ? undefined : tokens[heading + 1]?.children?.map(({ content }) => content).join('')
  const title = fieldText(fields.title)
  const hasOwnTitle = tokens.some(({ type, tag }) => type === 'heading_open' && tag === 'h1')
  const escaped = (words: string): string => markdown.utils.escapeHtml(words)
  const faults = await renderMaths(tokens, escaped, mathWriter)
  const shown = title === undefined || hasOwnTitle ? '' : `<h1>${escaped(title)}</h1>\n`
  const language = fieldText(fields.lang ?? fields.language)
  return {
    body: shown + markdown.renderer.render(tokens, markdown.options, {}),
    title: (title ?? first) || undefined,
    declaredTitle: title,
    faults,
    author: fieldText(fields.author ?? fields.authors),
    language: language !== undefined && /^[a-z]{2,8}(-[a-z0-9]{1,8})*$/i.test(language) ? language : undefined,
  }
}

export const markdown: Engine = libraryEngine({
  id: 'markdown',
  purpose: 'Markdown as HTML',
  licence: 'MIT',
  package: 'markdown-it',
})
