import { stemOf } from '../../../src/media/file.ts'
import type { ImageFormatId } from '../../../src/media/image/formats.ts'
import { outputName, setName } from '../../../src/media/naming.ts'
import { parsePageList } from '../../../src/media/pdf/page/page-range.ts'
import { pageSize } from '../../../src/media/pdf/page/render.ts'
import { oneFile } from '../../../src/tool/contract.ts'
import { pdfAction, pdfTool } from '../../../src/tool/pdf-tool.ts'
import { choice, integer, number, text } from '../../../src/tool/settings.ts'
import { PREVIEW_WIDTH, pageFrame, thumbnail } from './pdf-to-image/page-frame.ts'

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

/** Some scanners write bytes before the header; readers search the first 1024 bytes for it (catalogue). */
const open = () => ({ headerWithin: 1024 })

export default pdfTool({
  id: 'pdf-to-image',
  summary: 'Render PDF pages to image files',
  settings: {
    format: choice(FORMATS, 'output format', { short: 'F', default: 'png', valueAliases: { jpeg: 'jpg' } }),
    dpi: number('pixels per inch', { default: 150, min: 36, max: 2400, unit: 'dpi' }),
    quality: number('100 is best', {
      short: 'Q',
      default: 85,
      min: 1,
      max: 100,
      when: { format: ['jpg', 'webp', 'avif', 'tiff', 'heic', 'heif', 'jxl'] },
    }),
    colorMode: choice(['color', 'grayscale', 'bw'], 'colours, grey, or black and white', { default: 'color' }),
    pages: text('all, or pages such as 1-3,5', { short: 'p', default: 'all', grammar: 'page-list' }),
  },
  output: { kind: 'files+report', type: { setting: 'format' }, archive: 'pdf-pages' },
  conversion: true,
  timeoutS: 300,
  heavy: true,
  batch: true,
  examples: [
    { title: 'every page' },
    { title: 'the first page for a preview', settings: { pages: '1', format: 'jpg', dpi: 72 } },
  ],
  open,
  async produce([document], { format, dpi, quality, colorMode, pages }, { files: [file], progress }) {
    const { pageCount } = document
    const selectedPages = parsePageList(pages, pageCount)
    const isAlone = selectedPages.length === 1
    async function* frames() {
      for (const [index, page] of selectedPages.entries()) {
        const frame = await pageFrame(document, page, { dpi, colorMode })
        // A single page is saved next to the document, and needs the document's name.
        const name = isAlone ? outputName(stemOf(file.name), `_page-${page}`, format) : `page-${page}.${format}`
        const target = { format, quality: Math.round(quality), density: dpi }
        yield { name, frame: frame.withTarget(target), field: `pages.${index}.downloadUrl` }
        progress((index + 1) / selectedPages.length, 'rendering')
      }
    }
    return {
      frames: frames(),
      report: (encoded) => {
        const sizes = encoded.map(({ bytes }, index) => ({ page: selectedPages[index]!, size: bytes }))
        return { pageCount, selectedPages, format, pages: sizes }
      },
      ...(!isAlone && { set: setName(file, 'pages') }),
    }
  },
  actions: [
    pdfAction({
      id: 'info',
      summary: 'Report the number of pages and their sizes',
      input: oneFile('pdf'),
      settings: {},
      output: { kind: 'report' },
      open,
      produce([document]) {
        const { pageCount } = document
        const pages = Array.from({ length: pageCount }, (_, index) => ({
          page: index + 1,
          ...pageSize(document, index + 1),
        }))
        return { report: { pageCount, pages } }
      },
    }),
    pdfAction({
      id: 'preview',
      summary: 'Page previews as data URIs',
      input: oneFile('pdf'),
      settings: {
        page: integer('only this page; all by default', { min: 1, example: 1 }),
        pages: text('only these pages, such as 1-3,5; page takes precedence', {
          maxLength: 200,
          example: '1-3',
          grammar: 'page-list',
        }),
        width: integer('largest width of a preview', { default: PREVIEW_WIDTH, min: 50, max: 1600, unit: 'px' }),
      },
      output: { kind: 'report' },
      open,
      async produce([document], { page, pages = 'all', width }, { signal }) {
        const { pageCount } = document
        const wanted = parsePageList(page === undefined ? pages : String(page), pageCount)
        const thumbnails = []
        for (const one of wanted) {
          signal.throwIfAborted()
          thumbnails.push(await thumbnail(document, one, width))
        }
        return { report: { pageCount, thumbnails } }
      },
    }),
  ],
})
