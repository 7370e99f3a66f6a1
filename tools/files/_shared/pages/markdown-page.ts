import { renderMarkdown } from '../../../../src/engines/documents/markdown.ts'
import { wholePage } from './whole-page.ts'

/**
 * Markdown as a complete HTML page with its own style.
 * @param fallbackTitle the title if the document has no heading
 */
export async function markdownPage(text: string, fallbackTitle: string): Promise<string> {
  const { body, title = fallbackTitle } = await renderMarkdown(text)
  return wholePage({ title, body })
}
