import { type MarkdownPage, renderMarkdown } from '../../../../src/engines/documents/markdown.ts'
import { type MediaFile, stemOf } from '../../../../src/media/file.ts'
import { type EncodingOptions, readText } from '../../../../src/media/text-file.ts'
import { picturesBeside } from './local-pictures.ts'
import { wholePage } from './whole-page.ts'

/** A Markdown file as HTML, with the pictures next to it; without a title, it has the name of the file. */
export async function readMarkdown(
  file: MediaFile,
  options: EncodingOptions,
): Promise<MarkdownPage & { title: string }> {
  const page = await renderMarkdown(await readText(file, options), picturesBeside(file))
  for (const fault of page.faults) options.warn?.(fault)
  return { ...page, title: page.title ?? stemOf(file.name) }
}

/**
 * The same as a complete HTML page with its own style.
 * @param paper the pages on which it is printed, CSS
 */
export async function markdownPage(
  file: MediaFile,
  options: EncodingOptions,
  paper?: (title: string) => string,
): Promise<string> {
  const page = await readMarkdown(file, options)
  return wholePage({ ...page, ...(paper && { paper: paper(page.title) }) })
}
