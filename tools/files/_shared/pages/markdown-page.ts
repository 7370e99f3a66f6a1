import { renderMarkdown } from '../../../../src/engines/documents/markdown.ts'
import { wholePage } from './whole-page.ts'

/**
 * Markdown as a whole HTML page with a style of its own.
 * @param fallbackTitle where the document has no heading
 */
export async function markdownPage(text: string, fallbackTitle: string): Promise<string> {
  const { body, title = fallbackTitle } = await renderMarkdown(text)
  return wholePage({ title, body })
}
