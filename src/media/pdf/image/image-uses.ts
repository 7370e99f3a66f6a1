import { loadMupdf, type Matrix, type PDFPage, takeMupdfMessages } from '../../../engines/mupdf.ts'
import type { PdfHandle } from '../handle.ts'

/** The displayed width and height of an image, in points (72 per inch). */
export interface ShownSize {
  width: number
  height: number
}

/** Object numbers are encoded in the sizes of the proxies; the library supports images up to 65,536 wide. */
const PROXY_WIDTHS = 60_000

/**
 * The object numbers of all image XObjects in the document, including those referenced only by forms, patterns or
 * annotations.
 */
export function imageNumbers(document: PdfHandle): number[] {
  const numbers: number[] = []
  const count = document.pdf.countObjects()
  for (let number = 1; number < count; number++) {
    const object = document.pdf.newIndirect(number)
    if (object.isStream() && object.get('Subtype').isName() && object.get('Subtype').asName() === 'Image')
      numbers.push(number)
    object.destroy()
  }
  return numbers
}

/**
 * The largest displayed size of each image XObject, by object number, over all pages with their annotations and fields.
 * An image that is never drawn (a hidden layer, an unused appearance) is not in the map.
 *
 * It DESTROYS the document, so pass a copy: drawing operations carry no object number, so each image is replaced by a
 * proxy whose width and height encode the number. An image fills the unit square whatever its pixel size, so the matrix
 * is that of the original, and no image is decoded.
 */
export async function shownSizes(copy: PdfHandle, numbers: readonly number[]): Promise<Map<number, ShownSize>> {
  const { Device, Matrix } = await loadMupdf()
  replaceByProxies(copy, numbers)
  const sizes = new Map<number, ShownSize>()
  const device = new Device({
    fillImage(image, matrix) {
      const number = (image.getHeight() - 1) * PROXY_WIDTHS + image.getWidth() - 1
      image.destroy()
      const size = sidesOf(matrix)
      const known = sizes.get(number)
      sizes.set(number, {
        width: Math.max(size.width, known?.width ?? 0),
        height: Math.max(size.height, known?.height ?? 0),
      })
    },
  })
  try {
    for (let index = 0; index < copy.pageCount; index++) {
      runPage(copy, index, (page) => page.run(device, Matrix.identity))
    }
    device.close()
  } finally {
    device.destroy()
  }
  return sizes
}

/** A page that cannot be drawn completely yields no more sizes, which is not an error. */
function runPage({ pdf }: PdfHandle, index: number, work: (page: PDFPage) => void): void {
  let page: PDFPage | undefined
  try {
    page = pdf.loadPage(index)
    work(page)
  } catch {
    takeMupdfMessages()
  } finally {
    page?.destroy()
  }
}

function sidesOf([a, b, c, d]: Matrix): ShownSize {
  return { width: Math.hypot(a, b), height: Math.hypot(c, d) }
}

function replaceByProxies({ pdf }: PdfHandle, numbers: readonly number[]): void {
  for (const number of numbers) {
    const proxy = pdf.newDictionary()
    proxy.put('Type', pdf.newName('XObject'))
    proxy.put('Subtype', pdf.newName('Image'))
    proxy.put('Width', (number % PROXY_WIDTHS) + 1)
    proxy.put('Height', Math.floor(number / PROXY_WIDTHS) + 1)
    proxy.put('BitsPerComponent', 8)
    proxy.put('ColorSpace', pdf.newName('DeviceGray'))
    // A proxy on a hidden layer must stay hidden.
    const object = pdf.newIndirect(number)
    const layer = object.get('OC')
    if (!layer.isNull()) proxy.put('OC', layer)
    object.writeObject(proxy)
    object.writeRawStream(new Uint8Array(1))
  }
}
