import type { Engine } from '../engine.ts'
import { libraryEngine } from '../library.ts'

/** A document as HTML, and the text of its first heading. */
export interface MarkdownPage {
  body: string
  title: string | undefined
}

/**
 * Converts CommonMark with tables, strike-through and autolinks. HTML in it is shown as text, and script links are
 * removed: documents are untrusted.
 */
export async function renderMarkdown(text: string): Promise<MarkdownPage> {
  const { default: MarkdownIt } = await import('markdown-it')
  const markdown = MarkdownIt({ html: false, linkify: true })
  const tokens = markdown.parse(text, {})
  const heading = tokens.findIndex(({ type }) => type === 'heading_open')
  const title = heading < 0 ? undefined : tokens[heading + 1]?.children?.map(({ content }) => content).join('')
  return { body: markdown.renderer.render(tokens, markdown.options, {}), title: title || undefined }
}

export const markdown: Engine = libraryEngine({
  id: 'markdown',
  purpose: 'Markdown as HTML',
  licence: 'MIT',
  package: 'markdown-it',
})
