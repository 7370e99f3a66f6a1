import { type Cell, imposePages, shownSize } from '../../../src/media/pdf/page/impose.ts'
import { expectNoForm, FORM_IS_FLAT, hasForm } from '../../../src/media/pdf/verify/losses.ts'
import { pdfTool } from '../../../src/tool/pdf-tool.ts'
import { choice } from '../../../src/tool/settings.ts'

/** Columns and rows on a portrait sheet; swapped on a landscape sheet (catalogue). */
const GRIDS = { 2: [1, 2], 3: [1, 3], 4: [2, 2], 8: [2, 4], 9: [3, 3], 12: [3, 4], 16: [4, 4] } as const

/** Padding of each cell and width of its border, points (catalogue). */
const LOOK = { margin: 3, frame: 0.1, enlarge: false }

export default pdfTool({
  id: 'nup-pdf',
  summary: 'Put several pages on each sheet',
  suffix: 'nup',
  settings: {
    perSheet: choice([2, 3, 4, 8, 9, 12, 16], 'pages per sheet; the sheet has the size of the first page', {
      short: 'n',
      default: 2,
    }),
  },
  examples: [{ title: 'four pages on each sheet', settings: { perSheet: 4 } }],
  async edit(document, { perSheet }, { warn }) {
    if (hasForm(document)) warn(FORM_IS_FLAT)
    const { width, height } = shownSize(document, 1)
    const [across, down] = GRIDS[perSheet]
    const [columns, rows] = width > height ? [down, across] : [across, down]
    const [cellWidth, cellHeight] = [width / columns, height / rows]
    const { pageCount } = document
    const sheets = Array.from({ length: Math.ceil(pageCount / perSheet) }, (_, sheet) => {
      const cells = Array.from({ length: perSheet }, (_, index): Cell => {
        const page = sheet * perSheet + index + 1
        return {
          page: page <= pageCount ? page : undefined,
          left: (index % columns) * cellWidth,
          bottom: height - (Math.floor(index / columns) + 1) * cellHeight,
          width: cellWidth,
          height: cellHeight,
          turn: 'fit',
        }
      })
      return { width, height, cells }
    })
    await imposePages(document, sheets, LOOK)
    expectNoForm(document)
    return document
  },
})
