import { stemOf } from '../../src/media/file.ts'
import { encodeImage } from '../../src/media/image/encode.ts'
import type { ImageFormatId } from '../../src/media/image/formats.ts'
import { outputName, setName } from '../../src/media/naming.ts'
import { openPdfFile } from '../../src/media/pdf/document.ts'
import { parsePageList } from '../../src/media/pdf/page-range.ts'
import { pageSize } from '../../src/media/pdf/render.ts'
import { mimeOf } from '../../src/media/type.ts'
import { action, oneFile, tool } from '../../src/tool/contract.ts'
import { choice, integer, number, text } from '../../src/tool/settings.ts'
import { pageFrame, thumbnail } from './pdf-to-image/page-frame.ts'

const FORMATS = [
  'png',
  'jpg',
  'webp',
  'avif',
  'tiff',
  'gif',
  'heic',
  'heif',
  'jxl',
] as const satisfies readonly ImageFormatId[]

/** Some scanners put bytes before the header; readers look for it in the first 1024 (catalogue). */
const OPEN = { headerWithin: 1024 }

export default tool({
  section: 'pdf',
  id: 'pdf-to-image',
  summary: 'Render PDF pages to image files',
  input: oneFile('pdf'),
  settings: {
    format: choice(FORMATS, 'the format to write', { default: 'png', valueAliases: { jpeg: 'jpg' } }),
    dpi: number('pixels per inch', { default: 150, min: 36, max: 2400, unit: 'dpi' }),
    quality: number('lossy formats: 100 is best', { default: 85, min: 1, max: 100 }),
    colorMode: choice(['color', 'grayscale', 'bw'], 'colours, grey, or black and white', { default: 'color' }),
    pages: text('all, or pages such as 1-3,5', { default: 'all' }),
  },
  output: { kind: 'files+report', type: { setting: 'format' }, archive: 'pdf-pages' },
  conversion: true,
  engines: ['mupdf'],
  timeoutS: 300,
  heavy: true,
  batch: true,
  examples: [
    { title: 'every page' },
    { title: 'the first page for a preview', settings: { pages: '1', format: 'jpg', dpi: 72 } },
  ],
  async run(job, { format, dpi, quality, colorMode, pages }) {
    const file = job.inputs[0]!
    const document = await openPdfFile(file, OPEN)
    try {
      const { pageCount } = document
      const selectedPages = parsePageList(pages, pageCount)
      const files = []
      const sizes = []
      for (const page of selectedPages) {
        job.signal.throwIfAborted()
        const frame = await pageFrame(document, page, { dpi, colorMode })
        // One page alone is a file beside the document, and needs the document's name.
        const name =
          selectedPages.length === 1 ? outputName(stemOf(file.name), `_page-${page}`, format) : `page-${page}.${format}`
        const path = await job.output(name)
        const { bytes } = await encodeImage(
          frame.withTarget({ format, quality: Math.round(quality), density: dpi }),
          path,
        )
        files.push({ path, name, mime: mimeOf(format), field: `pages.${files.length}.downloadUrl` })
        sizes.push({ page, size: bytes })
        job.progress(files.length / selectedPages.length, 'rendering')
      }
      const report = { pageCount, selectedPages, format, pages: sizes }
      return { files, report, ...(files.length > 1 && { set: setName(file, 'pages') }) }
    } finally {
      document.close()
    }
  },
  actions: [
    action({
      id: 'info',
      summary: 'Report the number of pages and their sizes',
      input: oneFile('pdf'),
      settings: {},
      output: { kind: 'report' },
      async run(job) {
        const document = await openPdfFile(job.inputs[0]!, OPEN)
        try {
          const pages = Array.from({ length: document.pageCount }, (_, index) => ({
            page: index + 1,
            ...pageSize(document, index + 1),
          }))
          return { files: [], report: { pageCount: document.pageCount, pages } }
        } finally {
          document.close()
        }
      },
    }),
    action({
      id: 'preview',
      summary: 'Small pictures of the pages, as data URIs',
      input: oneFile('pdf'),
      settings: { page: integer('only this page; all by default', { min: 1 }) },
      output: { kind: 'report' },
      async run(job, { page }) {
        const document = await openPdfFile(job.inputs[0]!, OPEN)
        try {
          const { pageCount } = document
          const wanted = parsePageList(page === undefined ? 'all' : String(page), pageCount)
          const thumbnails = []
          for (const one of wanted) {
            job.signal.throwIfAborted()
            thumbnails.push(await thumbnail(document, one))
          }
          return { files: [], report: { pageCount, thumbnails } }
        } finally {
          document.close()
        }
      },
    }),
  ],
})
