import { MediaprocError } from '../../errors.ts'
import type { Engine } from '../engine.ts'
import { libraryEngine } from '../library.ts'

/**
 * Converts a DOCX to semantic HTML: headings, lists, tables, notes, images as `data:`. External files that it
 * references are not read.
 * @throws INVALID_FILE
 */
export async function docxAsHtml(bytes: Uint8Array, name: string): Promise<string> {
  const { default: library } = await import('mammoth')
  try {
    const { value } = await library.convertToHtml({ buffer: Buffer.from(bytes) }, {
      externalFileAccess: false,
      styleMap: ['u => u', 'strike => s', "p[style-name='Title'] => h1:fresh"],
    } as object)
    return value
  } catch (error) {
    throw new MediaprocError('INVALID_FILE', `${name} is damaged, or not a DOCX file`, {
      cause: error,
      detail: (error as Error).message,
    })
  }
}

export const mammoth: Engine = libraryEngine({
  id: 'mammoth',
  purpose: 'reading Word documents as text with structure',
  licence: 'BSD-2-Clause',
  package: 'mammoth',
})
