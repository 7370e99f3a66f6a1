import { MediaprocError } from '../../errors.ts'
import { inBrowser, WAIT } from '../chromium.ts'
import { MISSING_FILES, type MissingFiles, OVERFLOW, type Overflow, sideMargins } from './page-probes.ts'

/** Margins of pages that specify none (CSS `@page`). */
const MARGIN = '2cm'
const PAPER = { format: 'A4', margin: { top: MARGIN, right: MARGIN, bottom: MARGIN, left: MARGIN } } as const
const PRINTING = { ...PAPER, preferCSSPageSize: true, printBackground: true, tagged: true, outline: true } as const

/** Smaller text is not legible on paper: 12 pt becomes 6 pt. */
const SMALLEST = 0.5
const STEP = 0.05
/** Chromium itself shrinks pages that are too wide, without notice, to two thirds at most. */
const SHRUNK_BY_CHROMIUM = 2 / 3

export interface PrintedPage {
  pdf: Buffer
  /** External URLs that the document references and that were not loaded. */
  leftOut: string[]
  /** Images embedded in the document that cannot be decoded. */
  damagedPictures: number
  /** 1 is the page's own size; smaller if its content is wider than the paper. */
  scale: number
  /** Descriptions of content that is cut off even at the smallest scale. */
  cut: string[]
}

/**
 * Prints an HTML document as a PDF with tags and an outline, scaled down to at least half its size if it is wider than
 * the paper. No script runs, and only embedded resources (`data:`) are loaded.
 * @throws MediaprocError ENGINE_UNAVAILABLE, TIMEOUT, CANCELED, PROCESSING_FAILED
 */
export function printPage(html: string, signal: AbortSignal): Promise<PrintedPage> {
  return inBrowser('Printing pages', signal, async (browser) => {
    const context = await browser.newContext({ javaScriptEnabled: false, offline: true, serviceWorkers: 'block' })
    const leftOut = new Set<string>()
    await context.route('**/*', (route) => {
      const url = route.request().url()
      if (/^(data|about):/.test(url)) return route.continue()
      leftOut.add(url)
      return route.abort('blockedbyclient')
    })
    const page = await context.newPage()
    await page.emulateMedia({ media: 'print' })
    try {
      await page.setContent(html, { waitUntil: 'load', timeout: WAIT.load })
    } catch (error) {
      if ((error as Error).name !== 'TimeoutError') throw error
      throw new MediaprocError('TIMEOUT', `The page was not laid out after ${WAIT.load / 1000} s`, { hint: '' })
    }
    const { unasked, damaged } = (await page.evaluate(MISSING_FILES)) as MissingFiles
    for (const address of unasked) leftOut.add(address)
    const missing = { leftOut: [...leftOut], damagedPictures: damaged }
    const pdf = await page.pdf(PRINTING)

    const paper = paperWidth(pdf)
    const height = 1000
    await page.setViewportSize({ width: Math.round(paper), height })
    const printable = paper - Number(await page.evaluate(sideMargins(MARGIN)))
    const overflowAt = async (scale: number): Promise<Overflow> => {
      await page.setViewportSize({ width: Math.max(1, Math.round(printable / scale)), height })
      return (await page.evaluate(OVERFLOW)) as Overflow
    }
    for (let scale = 1; scale > SMALLEST - STEP / 2; scale = Math.round((scale - STEP) * 100) / 100) {
      signal.throwIfAborted()
      if ((await overflowAt(scale)).cut.length > 0) continue
      return { pdf: scale === 1 ? pdf : await page.pdf({ ...PRINTING, scale }), ...missing, scale, cut: [] }
    }
    const { cut } = await overflowAt(SMALLEST)
    // If Chromium shrinks the page as well, both together give the smallest scale.
    const { ofPage } = await overflowAt(SMALLEST / SHRUNK_BY_CHROMIUM)
    const scale = ofPage ? SMALLEST / SHRUNK_BY_CHROMIUM : SMALLEST
    return { pdf: await page.pdf({ ...PRINTING, scale }), ...missing, scale: SMALLEST, cut }
  })
}

/** The width of the widest page in CSS px (96 per inch); Chromium writes page boxes in points as plain text. */
function paperWidth(pdf: Buffer): number {
  const widths = [...pdf.toString('latin1').matchAll(/\/MediaBox\s*\[\s*0 0 ([\d.]+)/g)].map(([, width]) =>
    Number(width),
  )
  return (Math.max(...widths) * 96) / 72
}
