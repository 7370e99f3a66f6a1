import { MediaprocError } from '../../../src/errors.ts'
import { printableName, stemOf } from '../../../src/media/file.ts'
import { outputName } from '../../../src/media/naming.ts'
import { assemblePages } from '../../../src/media/pdf/page/assemble.ts'
import { rotatePages } from '../../../src/media/pdf/page/rotate.ts'
import { pdfTool } from '../../../src/tool/pdf-tool.ts'
import { choice, group, integer, list } from '../../../src/tool/settings.ts'
import { invalidSettings } from '../../../src/tool/validate.ts'

export default pdfTool({
  id: 'multi-tool-pdf',
  summary: 'Assemble one PDF from a page plan over several PDFs',
  input: { files: 'many', min: 1, max: 20, accept: ['pdf'] },
  settings: {
    items: list(
      group(
        {
          doc: integer('the file, counted from 0', { required: true, min: 0, max: 19 }),
          page: integer('the page, counted from 1', { required: true, min: 1 }),
          rot: choice([90, 180, 270], 'clockwise, added to the current rotation of the page', { unit: 'degrees' }),
        },
        'a page of the result',
      ),
      'the pages of the result, in order; a page may come several times',
      {
        required: true,
        minLength: 1,
        maxLength: 1200,
        example: [
          { doc: 0, page: 1 },
          { doc: 1, page: 1, rot: 90 },
        ],
      },
    ),
    pageCounts: list(integer('pages of the file', { min: 1, max: 10_000 }), 'number of pages of each file', {
      required: true,
      maxLength: 20,
      example: [3, 1],
    }),
  },
  batch: false,
  examples: [
    {
      title: 'the last page of one, then a page of the other, both rotated',
      inputs: ['report.pdf', 'invoice.pdf'],
      settings: {
        items: [
          { doc: 0, page: 3, rot: 180 },
          { doc: 1, page: 1, rot: 90 },
        ],
        pageCounts: [3, 1],
      },
    },
  ],
  check({ items, pageCounts }) {
    for (const { doc, page } of items) {
      const count = pageCounts[doc]
      if (count === undefined) throw invalidSettings(`Expected a count in pageCounts for file ${doc}, got nothing`)
      if (page > count) throw invalidSettings(`Page ${page} of file ${doc} does not exist: pageCounts gives ${count}`)
    }
  },
  async produce(documents, { items, pageCounts }, { files }) {
    if (pageCounts.length !== documents.length)
      throw invalidSettings(`Expected pageCounts of ${documents.length} files, got ${pageCounts.length}`)
    for (const [index, { pageCount }] of documents.entries())
      if (pageCount !== pageCounts[index])
        throw new MediaprocError(
          'TARGET_UNREACHABLE',
          `${printableName(files[index]!.name)} has ${pageCount} pages, not ${pageCounts[index]}`,
        )
    async function* assembled() {
      const result = await assemblePages(items.map(({ doc, page }) => ({ document: documents[doc]!, pages: [page] })))
      // The result is a new document: headings and titles of its sources do not apply to it (catalogue).
      const trailer = result.pdf.getTrailer()
      trailer.delete('Info')
      for (const key of ['Outlines', 'Metadata']) trailer.get('Root').delete(key)
      result.expect('no headings or titles of the sources are left', (saved) => {
        const written = saved.getTrailer()
        return (
          ['Outlines', 'Metadata'].every((key) => written.get('Root', key).isNull()) && written.get('Info').isNull()
        )
      })
      for (const [index, { rot }] of items.entries()) if (rot) rotatePages(result, new Set([index + 1]), rot)
      yield { name: outputName(stemOf(files[0].name), '_multi-tool', 'pdf'), document: result }
    }
    return { documents: assembled() }
  },
})
